# Wrong: it takes the MFU for a percentage.
def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    return 6e6 * parameters / (peak_flops_per_s * mfu / 100) / 3600 * usd_per_hour
