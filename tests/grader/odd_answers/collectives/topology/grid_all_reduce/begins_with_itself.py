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
