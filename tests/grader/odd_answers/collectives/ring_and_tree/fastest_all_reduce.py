# %% a_list_of_two
# Right: a list of the name and the time.
from math import ceil, floor, log2


def fastest_all_reduce(size_bytes, ranks, latency_s, bandwidth_bytes_per_s):
    alpha, n_beta = latency_s, size_bytes / bandwidth_bytes_per_s
    power = floor(log2(ranks))
    more = 0 if 2**power == ranks else 2
    times = [
        ["binomial", 2 * ceil(log2(ranks)) * (alpha + n_beta)],
        ["ring", 2 * (ranks - 1) * (alpha + n_beta / ranks)],
        ["recursive_doubling", (power + more) * (alpha + n_beta)],
        ["halving_doubling", (2 * power + more) * alpha + (2 * (1 - 0.5**power) + more) * n_beta],
    ]
    return sorted(times, key=lambda pair: pair[1])[0]

# %% numpy_time
# Right: one of NumPy's floats, and one of its texts.
import numpy as np


def fastest_all_reduce(size_bytes, ranks, latency_s, bandwidth_bytes_per_s):
    power = ranks.bit_length() - 1
    more = 2 * (2**power < ranks)
    steps = np.array([2 * (ranks - 1).bit_length(), 2 * (ranks - 1), power + more, 2 * power + more])
    share = np.array([steps[0], steps[1] / ranks, steps[2], 2 - 2 / 2**power + more])
    times = steps * latency_s + share * size_bytes / bandwidth_bytes_per_s
    names = np.array(["binomial", "ring", "recursive_doubling", "halving_doubling"])
    return names[times.argmin()], times.min()
