# Right: dynamic programming, with a nested function and a cache.
from functools import cache
from itertools import accumulate


def cut_layers(layer_s, stages):
    before = [0, *accumulate(layer_s)]

    @cache
    def best(start, left):
        if left == 1:
            return before[-1] - before[start], (len(layer_s) - start,)
        return min(
            (max(before[stop] - before[start], slowest), (stop - start, *sizes))
            for stop in range(start + 1, len(layer_s) - left + 2)
            for slowest, sizes in [best(stop, left - 1)]
        )

    return best(0, stages)[1]
