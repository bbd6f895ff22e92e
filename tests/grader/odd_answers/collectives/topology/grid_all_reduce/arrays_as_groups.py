# Right: arrays as groups.
import numpy as np
from snippets.simulation.machine import AllGather, AllReduce, ReduceScatter


def grid_all_reduce(*, rank, sides, numbers):
    grid = np.arange(np.prod(sides)).reshape(sides[::-1])
    at = np.argwhere(grid == rank)[0]
    groups = []
    for d in range(len(sides)):
        idx = list(at)
        idx[len(sides) - 1 - d] = slice(None)
        groups.append(grid[tuple(idx)])
    part = numbers
    for q in groups:
        part = yield ReduceScatter(part, group=q)
    for q in groups[::-1]:
        part = yield AllGather(part, group=q)
    return part
