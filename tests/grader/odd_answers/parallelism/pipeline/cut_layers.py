# %% by_a_table
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

# %% numpy
# Right: an array; finds the pace by trying.
import numpy as np


def cut_layers(layer_s, *, stages):
    ends = np.cumsum(layer_s)
    for pace in range(max(layer_s), ends[-1] + 1):
        cuts = [0]
        while cuts[-1] < len(layer_s):
            done = ends[cuts[-1] - 1] if cuts[-1] else 0
            cuts.append(int(np.searchsorted(ends, done + pace, side="right")))
        if len(cuts) - 1 <= stages:
            break
    free = [end for end in range(1, len(layer_s)) if end not in cuts]
    return np.diff(sorted(cuts + free[: stages + 1 - len(cuts)]))
