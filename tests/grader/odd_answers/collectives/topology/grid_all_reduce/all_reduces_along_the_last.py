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
