# Wrong: the squares, not their sum.
import numpy as np


def square_norm_share(shard, replicated, *, workers):
    return np.array(shard) ** 2
