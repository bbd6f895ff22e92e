# Right: one time divided by the other, as the first hint has it.
from math import ceil


def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    sum_s = 2 * (ranks - 1) / ranks * gradient_bytes * parameters / bandwidth_bytes_per_s
    return ceil(sum_s / (4 * parameters / flops_per_s))
