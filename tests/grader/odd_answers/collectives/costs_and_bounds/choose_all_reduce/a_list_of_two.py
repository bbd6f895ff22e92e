# Right: a list, and NumPy's float.
import numpy as np


def choose_all_reduce(ranks, size_bytes, latency_s, bandwidth_bytes_per_s):
    k = int(np.log2(ranks))
    fold = 2 * (2**k < ranks)
    steps = np.array([2 * (ranks - 1), k + fold, 2 * k + fold])
    share = np.array([2 - 2 / ranks, k + fold, 2 - 2 / 2**k + fold])
    times = steps * latency_s + share * size_bytes / bandwidth_bytes_per_s
    return [["ring", "recursive_doubling", "halving_doubling"][np.argmin(times)], times.min()]
