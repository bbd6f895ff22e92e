# Wrong: hours and dollars.
def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    hours = 6e6 * parameters / (peak_flops_per_s * mfu) / 3600
    return hours, hours * usd_per_hour
