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

# %% asks_a_group_without_itself
# Wrong: asks a group without itself.
# Message: which has to be a list of ranks
from snippets.simulation.machine import AllReduce


def grid_all_reduce(*, rank, sides, numbers):
    return (yield AllReduce(numbers, group=[rank + 1]))

# %% begins_with_itself
# Wrong: begins with itself.
# Message: rank 0 gives the list [0, 1], rank 1 the list [1, 0]
from snippets.simulation.machine import AllGather, AllReduce, ReduceScatter
import math


def grid_all_reduce(*, rank, sides, numbers):
    groups, step = [], 1
    for s in sides:
        x = rank // step % s
        first = rank - x * step
        groups.append([first + (x + i) % s * step for i in range(s)])
        step *= s
    part = numbers
    for group in groups:
        part = yield ReduceScatter(part, group=group)
    for group in reversed(groups):
        part = yield AllGather(part, group=group)
    return part

# %% group_without_its_name
# Wrong: group without its name.
# Message: gives ReduceScatter a group without its name
from snippets.simulation.machine import AllGather, AllReduce, ReduceScatter, Isend, Receive
import math


def grid_all_reduce(*, rank, sides, numbers):
    groups, step = [], 1
    for s in sides:
        x = rank // step % s
        first = rank - x * step
        groups.append([first + i * step for i in range(s)])
        step *= s

    part = numbers
    for group in groups:
        part = yield ReduceScatter(part, group)
    for group in reversed(groups):
        part = yield AllGather(part, group)
    return part

# %% groups_of_neighbouring_numbers
# Wrong: groups of neighbouring numbers.
# Known mistake: Along the second dimension the ranks differ by the first side, not by 1.
from snippets.simulation.machine import AllGather, ReduceScatter


def grid_all_reduce(*, rank, sides, numbers):
    groups = [[rank - rank % side + step for step in range(side)] for side in sides]
    for group in groups:
        numbers = yield ReduceScatter(numbers, group=group)
    for group in reversed(groups):
        numbers = yield AllGather(numbers, group=group)
    return numbers

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
