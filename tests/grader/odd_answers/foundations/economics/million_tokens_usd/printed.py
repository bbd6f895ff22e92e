# Wrong: it prints.
def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    print(6e6 * parameters / (peak_flops_per_s * mfu) / 3600 * usd_per_hour)
