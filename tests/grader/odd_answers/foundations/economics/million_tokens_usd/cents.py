# Wrong: it returns cents.
def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    return 100 * 6e6 * parameters / peak_flops_per_s / mfu / 3600 * usd_per_hour
