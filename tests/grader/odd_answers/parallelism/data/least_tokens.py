# %% both_times
# Right: one time divided by the other, as the first hint has it.
from math import ceil


def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    sum_s = 2 * (ranks - 1) / ranks * gradient_bytes * parameters / bandwidth_bytes_per_s
    return ceil(sum_s / (4 * parameters / flops_per_s))

# %% exact
# Right: exact to the end.
from fractions import Fraction
from math import ceil


def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    return ceil(
        Fraction(ranks - 1, ranks) * gradient_bytes * Fraction(flops_per_s) / (2 * Fraction(bandwidth_bytes_per_s))
    )

# %% numpy
# Right: a NumPy integer.
import numpy as np


def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    return np.int64(np.ceil((ranks - 1) * gradient_bytes * flops_per_s / (2 * ranks * bandwidth_bytes_per_s) - 1e-7))

# %% with_the_parameters
# Right: the parameters stand on both sides.
from math import ceil


def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    send = 2 * (ranks - 1) / ranks * gradient_bytes * parameters / bandwidth_bytes_per_s
    return ceil(send * flops_per_s / (4 * parameters) * (1 - 1e-12))
