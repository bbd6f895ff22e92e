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
