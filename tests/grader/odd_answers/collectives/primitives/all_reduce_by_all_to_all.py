# %% numpy
# Right: arrays to the all-to-all and back.
import numpy as np


def all_reduce_by_all_to_all(grid, *, all_to_all):
    sums = np.array(all_to_all(np.array(grid))).sum(axis=1)
    return np.array(all_to_all(np.repeat(sums[:, None], len(grid), axis=1)))

# %% tuples
# Right: tuples to the all-to-all and back.
def all_reduce_by_all_to_all(grid, all_to_all):
    received = all_to_all(tuple(map(tuple, grid)))
    return tuple(map(tuple, all_to_all(tuple((sum(row),) * len(row) for row in received))))
