# Wrong: it takes the price for that of a day.
def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    return 6e6 * parameters / (peak_flops_per_s * mfu) / 86400 * usd_per_hour
