# %% a_fraction
# Right: an exact fraction where a float is asked.
from fractions import Fraction


def square_norm_share(shard, replicated, workers):
    def square(part):
        return sum(Fraction(x) ** 2 for x in part)

    return square(shard) + square(replicated) / workers

# %% numpy
# Right: one of NumPy's floats.
import numpy as np


def square_norm_share(shard, replicated, *, workers):
    return np.dot(shard, shard) + np.dot(replicated, replicated) / workers
