# Right: NumPy's truth.
import numpy as np


def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = {"all_reduce": 2.0, "broadcast": ranks / (ranks - 1), "reduce": ranks / (ranks - 1)}.get(primitive, 1.0)
    floor = np.float64(share * size_bytes * (ranks - 1) / ranks)
    return floor <= np.float64(time_s * bandwidth_bytes_per_s) * (1 + 1e-12)
