# Right: the closed form.
from math import comb


def fewest_runs(*, layers, checkpoints):
    r = 0
    while comb(checkpoints + r, checkpoints) < layers:
        r += 1
    return layers * (r + 1) - (comb(checkpoints + r, r - 1) if r else 0)
