# Wrong: drops the result.
from snippets.simulation.machine import AllGather, AllReduce, ReduceScatter
import math


def grid_all_reduce(*, rank, sides, numbers):
    groups, step = [], 1
    for s in sides:
        x = rank // step % s
        first = rank - x * step
        groups.append([first + i * step for i in range(s)])
        step *= s
    ReduceScatter(numbers, group=groups[0])
    yield AllReduce(numbers, group=groups[0])
    return numbers
