# Wrong: speed and bandwidth swapped.
# Known mistake: This is one token everywhere: is a fraction upside down, or are the parameters on one side only?
from math import ceil


def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    return ceil((ranks - 1) / ranks * gradient_bytes * bandwidth_bytes_per_s / (2 * flops_per_s))
