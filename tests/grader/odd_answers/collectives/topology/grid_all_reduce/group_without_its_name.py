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
