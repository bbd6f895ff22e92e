# %% all_reduces_along_the_last
# Right: all reduces along the last.
from snippets.simulation.machine import AllGather, AllReduce, ReduceScatter


def grid_all_reduce(*, rank, sides, numbers):
    groups, stride = [], 1
    for side in sides:
        place = rank // stride % side
        groups.append([rank + (other - place) * stride for other in range(side)])
        stride *= side
    for group in groups[:-1]:
        numbers = yield ReduceScatter(numbers, group=group)
    numbers = yield AllReduce(numbers, group=groups[-1])
    for group in groups[-2::-1]:
        numbers = yield AllGather(numbers, group=group)
    return numbers

# %% arrays_as_groups
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

# %% last_dimension_first
# Right: last dimension first.
from snippets.simulation.machine import AllGather, ReduceScatter


def grid_all_reduce(*, rank, sides, numbers):
    strides = [1]
    for side in sides:
        strides.append(strides[-1] * side)
    groups = []
    for side, stride in zip(sides, strides):
        place = rank // stride % side
        groups.append([rank + (other - place) * stride for other in range(side)])
    for group in groups[::-1]:
        numbers = yield ReduceScatter(numbers, group=group)
    for group in groups:
        numbers = yield AllGather(numbers, group=group)
    return numbers

# %% skips_sides_of_one
# Right: skips sides of one.
from snippets.simulation.machine import AllGather, ReduceScatter


def grid_all_reduce(*, rank, sides, numbers):
    groups, stride = [], 1
    for side in sides:
        if side > 1:
            place = rank // stride % side
            groups.append(tuple(rank + (other - place) * stride for other in range(side)))
        stride *= side
    for group in groups:
        numbers = yield ReduceScatter(numbers, group=group)
    while groups:
        numbers = yield AllGather(numbers, group=groups.pop())
    return list(numbers)
