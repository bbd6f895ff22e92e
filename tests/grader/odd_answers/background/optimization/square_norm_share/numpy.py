# Right: one of NumPy's floats.
import numpy as np


def square_norm_share(shard, replicated, *, workers):
    return np.dot(shard, shard) + np.dot(replicated, replicated) / workers
