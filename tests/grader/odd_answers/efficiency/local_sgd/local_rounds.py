# %% affine
# Right: each round as one map.
def local_rounds(curvatures, minima, *, step_size, local_steps, rounds):
    left = [(1 - step_size * c) ** local_steps for c in curvatures]
    at = 0.0
    for _ in range(rounds):
        at = sum(m + each * (at - m) for each, m in zip(left, minima)) / len(left)
    return at


# %% with_numpy
# Right: all ranks at once.
import numpy as np


def local_rounds(curvatures, minima, *, step_size, local_steps, rounds):
    c, m, shared = np.array(curvatures), np.array(minima), 0.0
    for _ in range(rounds):
        w = np.full(len(c), shared)
        for _ in range(local_steps):
            w = w - step_size * c * (w - m)
        shared = w.mean()
    return shared


# %% weighted
# Wrong: steeper ranks count for more.
def local_rounds(curvatures, minima, *, step_size, local_steps, rounds):
    shared = 0.0
    for _ in range(rounds):
        ends = []
        for c, m in zip(curvatures, minima):
            w = shared
            for _ in range(local_steps):
                w -= step_size * c * (w - m)
            ends.append(w)
        shared = sum(c * w for c, w in zip(curvatures, ends)) / sum(curvatures)
    return shared


# %% rests
# Wrong: where it rests, however few the rounds.
def local_rounds(curvatures, minima, *, step_size, local_steps, rounds):
    gone = [1 - (1 - step_size * c) ** local_steps for c in curvatures]
    return sum(g * m for g, m in zip(gone, minima)) / sum(gone) if rounds else 0.0
