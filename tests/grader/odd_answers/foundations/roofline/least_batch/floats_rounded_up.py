# Wrong: the formula in floats, rounded up as it comes.
# Known mistake: Floats are rounded: a number of rows that should be whole may come out a little larger, and a difference of 0 a little off 0. All inputs are whole numbers, and -(-x // y) divides them exactly and rounds up.
import math


def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    x = 2 * bandwidth_bytes_per_s / peak_flops_per_s - activation_bytes / k - activation_bytes / n
    return math.ceil(weight_bytes / x) if x > 0 else 0
