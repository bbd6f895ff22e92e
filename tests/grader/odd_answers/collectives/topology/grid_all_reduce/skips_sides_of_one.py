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
