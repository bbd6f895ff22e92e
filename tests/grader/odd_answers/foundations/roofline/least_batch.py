# %% a_search
# Right: one batch after the other.
def least_batch(k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    if 2 * k * n * bandwidth_bytes_per_s <= activation_bytes * (k + n) * peak_flops_per_s:
        return 0
    m = 1
    while 2 * m * k * n * bandwidth_bytes_per_s < (weight_bytes * k * n + activation_bytes * m * (k + n)) * peak_flops_per_s:
        m += 1
    return m

# %% at_most_a_thousand
# Wrong: it gives up after a thousand rows. It passed once.
def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    for m in range(1, 1001):
        moved = weight_bytes * k * n + activation_bytes * m * (k + n)
        if 2 * m * k * n * bandwidth_bytes_per_s >= moved * peak_flops_per_s:
            return m
    return 0

# %% by_floats
# Right: the formula in floats.
import math


def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = 2 * bandwidth_bytes_per_s / peak_flops_per_s - activation_bytes * (1 / k + 1 / n)
    return math.ceil(weight_bytes / room - 1e-9) if room > 1e-15 else 0

# %% nine_digits
# Wrong: nine digits after the point, but a difference of 0 in floats is not 0. It passed once.
import math


def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    x = 2 * bandwidth_bytes_per_s / peak_flops_per_s - activation_bytes / k - activation_bytes / n
    return math.ceil(round(weight_bytes / x, 9)) if x > 0 else 0

# %% no_zero_at_the_tie
# Wrong: a difference of 0 is taken for 1. It passed once.
def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = 2 * k * n * bandwidth_bytes_per_s - activation_bytes * (k + n) * peak_flops_per_s
    return 0 if room < 0 else -(-weight_bytes * k * n * peak_flops_per_s // max(room, 1))
