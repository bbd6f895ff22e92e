# Wrong: it pays for whole hours.
import math


def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    return math.ceil(6e6 * parameters / (peak_flops_per_s * mfu) / 3600) * usd_per_hour
