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
