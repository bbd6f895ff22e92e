# Wrong: gathers everything and adds.
from snippets.simulation.machine import AllGather


def grid_all_reduce(*, rank, sides, numbers):
    stride, length = 1, len(numbers)
    everything = list(numbers)
    for side in sides:
        place = rank // stride % side
        everything = yield AllGather(everything, group=[rank + (other - place) * stride for other in range(side)])
        stride *= side
    return [sum(everything[i::length]) for i in range(length)]
