# %% idle_messages
# Wrong: adds the rows of all ranks up without a message, and sends zeros twice so that the bytes are right.
# Known mistake: The sums are right, but rows of different ranks meet here without a message: only all_to_all may do that.
def all_reduce_by_all_to_all(grid, *, all_to_all):
    ranks = len(grid)
    for _ in range(2):
        all_to_all([[0] * ranks] * ranks)
    return [[sum(column) for column in zip(*grid)]] * ranks

# %% in_place
# Wrong: writes the sums into the grid that it was given.
# Message: grid is changed: work on a copy
def all_reduce_by_all_to_all(grid, *, all_to_all):
    sums = [sum(row) for row in all_to_all(grid)]
    grid[:] = all_to_all([[total] * len(grid) for total in sums])
    return grid

# %% numpy
# Right: arrays to the all-to-all and back.
import numpy as np


def all_reduce_by_all_to_all(grid, *, all_to_all):
    sums = np.array(all_to_all(np.array(grid))).sum(axis=1)
    return np.array(all_to_all(np.repeat(sums[:, None], len(grid), axis=1)))

# %% ragged_rows
# Wrong: the all-to-all takes N rows of N numbers, and says so.
# Message: all_to_all
def all_reduce_by_all_to_all(grid, *, all_to_all):
    sums = [sum(row) for row in all_to_all(grid)]
    return all_to_all([[total] for total in sums] + [[0]])

# %% tuples
# Right: tuples to the all-to-all and back.
def all_reduce_by_all_to_all(grid, all_to_all):
    received = all_to_all(tuple(map(tuple, grid)))
    return tuple(map(tuple, all_to_all(tuple((sum(row),) * len(row) for row in received))))
