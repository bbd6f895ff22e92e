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

# %% cuts_near_the_shares
# Wrong: cuts where the layers before come nearest to 1/p, 2/p, … of the whole time.
# Known mistake: Cuts near equal shares of the whole time are near the best, not the best: ask for the least pace.
from itertools import accumulate


def cut_layers(layer_s, *, stages):
    before, cuts = [0, *accumulate(layer_s)], [0]
    for stage in range(1, stages):
        places = range(cuts[-1] + 1, len(layer_s) - (stages - stage) + 1)
        cuts.append(min(places, key=lambda at: abs(stages * before[at] - stage * before[-1])))
    return [b - a for a, b in zip(cuts, [*cuts[1:], len(layer_s)])]

# %% halves_the_slowest
# Wrong: cuts the slowest stage in two, as evenly as it can, until there are enough.
# Known mistake: Cutting the slowest stage in two again and again cannot move the cuts that it has made; ask for the least pace.
def cut_layers(layer_s, *, stages):
    cuts = [0, len(layer_s)]
    while len(cuts) <= stages:
        pieces = [(a, b) for a, b in zip(cuts, cuts[1:]) if b - a > 1]
        a, b = max(pieces, key=lambda piece: sum(layer_s[slice(*piece)]))
        cuts = sorted([*cuts, min(range(a + 1, b), key=lambda at: max(sum(layer_s[a:at]), sum(layer_s[at:b])))])
    return [b - a for a, b in zip(cuts, cuts[1:])]

# %% least_squares
# Wrong: makes the sum of the squares of the stages' times smallest: [3, 3, 7, 1] on 3 stages takes 8 instead of 7.
# Known mistake: This makes the squares of the times smallest; the slowest stage sets the pace, whatever the others do.
from itertools import combinations


def cut_layers(layer_s, *, stages):
    def squares(cut):
        return sum(sum(layer_s[a:b]) ** 2 for a, b in zip((0, *cut), (*cut, len(layer_s))))

    best = min(combinations(range(1, len(layer_s)), stages - 1), key=squares)
    return [b - a for a, b in zip((0, *best), (*best, len(layer_s)))]

# %% mean_of_what_is_left
# Wrong: fills each stage up to the mean of what is left, and takes one layer more if that is nearer.
# Known mistake: The mean of what is left is no pace that all stages can keep; ask for the least pace at which the layers fit.
def cut_layers(layer_s, *, stages):
    sizes, start = [], 0
    for left in range(stages, 1, -1):
        mean, stop = sum(layer_s[start:]) / left, start + 1
        while len(layer_s) - stop >= left and sum(layer_s[start : stop + 1]) - mean <= mean - sum(layer_s[start:stop]):
            stop += 1
        sizes.append(stop - start)
        start = stop
    return [*sizes, len(layer_s) - start]

# %% moves_one_layer_at_a_time
# Wrong: from equal numbers of layers, moves a cut by one layer while that helps: it gets stuck.
# Known mistake: Moving one layer at a time stops where no single move helps, which need not be the best cut.
def cut_layers(layer_s, *, stages):
    def slowest(sizes):
        ends = [sum(sizes[:stage]) for stage in range(stages + 1)]
        return max(sum(layer_s[a:b]) for a, b in zip(ends, ends[1:]))

    sizes = [len(layer_s) // stages + (stage < len(layer_s) % stages) for stage in range(stages)]
    better = True
    while better:
        better = False
        for stage in range(stages - 1):
            for give, take in ((stage, stage + 1), (stage + 1, stage)):
                moved = list(sizes)
                moved[give], moved[take] = moved[give] - 1, moved[take] + 1
                if moved[give] and slowest(moved) < slowest(sizes):
                    sizes, better = moved, True
    return sizes

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

# %% sorts_the_layers
# Wrong: sorts the list that it was given; and the layers of a model have an order.
# Message: layer_s is changed: work on a copy
def cut_layers(layer_s, *, stages):
    layer_s.sort()
    return [1] * (stages - 1) + [len(layer_s) - stages + 1]
