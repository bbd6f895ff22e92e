# %% by_reduce
# Right: functools.reduce in the ring's order.
from functools import reduce
from operator import add


def ring_all_reduce_replay(vectors):
    ranks, length = len(vectors), len(vectors[0])
    owner = [chunk for chunk in range(ranks) for _ in range(length // ranks + (chunk < length % ranks))]
    return [reduce(add, (vectors[(c + hop) % ranks][i] for hop in range(1, ranks + 1))) for i, c in enumerate(owner)]

# %% numpy
# Right: NumPy's 64-bit floats round as Python's do.
import numpy as np


def ring_all_reduce_replay(vectors):
    ranks = len(vectors)
    parts = [np.array_split(np.array(vector, float), ranks) for vector in vectors]
    sums = []
    for chunk in range(ranks):
        total = parts[(chunk + 1) % ranks][chunk].copy()
        for hop in range(2, ranks + 1):
            total += parts[(chunk + hop) % ranks][chunk]
        sums.append(total)
    return np.concatenate(sums)
