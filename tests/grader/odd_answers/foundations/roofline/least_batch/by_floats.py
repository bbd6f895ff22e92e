# Right: the formula in floats.
import math


def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = 2 * bandwidth_bytes_per_s / peak_flops_per_s - activation_bytes * (1 / k + 1 / n)
    return math.ceil(weight_bytes / room - 1e-9) if room > 1e-15 else 0
