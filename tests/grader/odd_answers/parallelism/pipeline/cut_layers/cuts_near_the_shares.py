# Wrong: cuts where the layers before come nearest to 1/p, 2/p, … of the whole time.
# Known mistake: Cuts near equal shares of the whole time are near the best, not the best: ask for the least pace.
from itertools import accumulate


def cut_layers(layer_s, *, stages):
    before, cuts = [0, *accumulate(layer_s)], [0]
    for stage in range(1, stages):
        places = range(cuts[-1] + 1, len(layer_s) - (stages - stage) + 1)
        cuts.append(min(places, key=lambda at: abs(stages * before[at] - stage * before[-1])))
    return [b - a for a, b in zip(cuts, [*cuts[1:], len(layer_s)])]
