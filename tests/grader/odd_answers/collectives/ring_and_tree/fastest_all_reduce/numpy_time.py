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
