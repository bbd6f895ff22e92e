# Wrong: the layers of each stage, not their number.
from itertools import combinations


def cut_layers(layer_s, *, stages):
    def slowest(cut):
        return max(sum(layer_s[a:b]) for a, b in zip((0, *cut), (*cut, len(layer_s))))

    best = min(combinations(range(1, len(layer_s)), stages - 1), key=slowest)
    return [layer_s[a:b] for a, b in zip((0, *best), (*best, len(layer_s)))]
