# Wrong: nine digits after the point, but a difference of 0 in floats is not 0.
import math


def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    x = 2 * bandwidth_bytes_per_s / peak_flops_per_s - activation_bytes / k - activation_bytes / n
    return math.ceil(round(weight_bytes / x, 9)) if x > 0 else 0
