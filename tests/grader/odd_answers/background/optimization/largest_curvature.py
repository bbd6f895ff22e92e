# %% differences_to_both_sides
# Right: a difference of h to each side, which is nearer.
from math import hypot


def largest_curvature(gradient, at, start, iterations, distance=1e-4):
    for _ in range(iterations):
        length = hypot(*start)
        direction = [x / length for x in start]
        above = gradient([x + distance * d for x, d in zip(at, direction)])
        below = gradient([x - distance * d for x, d in zip(at, direction)])
        start = [(a - b) / (2 * distance) for a, b in zip(above, below)]
    return sum(d * h for d, h in zip(direction, start))

# %% numpy
# Right: arrays inside, one of NumPy's floats in the end.
import numpy as np


def largest_curvature(gradient, *, at, start, iterations, distance=1e-4):
    here, image = np.array(gradient(at)), np.array(start)
    for _ in range(iterations):
        direction = image / np.linalg.norm(image)
        image = (np.array(gradient((at + distance * direction).tolist())) - here) / distance
    return direction @ image

# %% the_point_moves_on
# Wrong: each difference begins where the last one ended. It passed once.
# Known mistake: The point θ moves on with each iteration, so the curvature is taken somewhere else: keep it where it is.
def largest_curvature(gradient, *, at, start, iterations, distance=1e-4):
    at, d = list(at), list(start)
    for _ in range(iterations):
        n = sum(x * x for x in d) ** 0.5
        d = [x / n for x in d]
        b = [a + distance * x for a, x in zip(at, d)]
        h = [(p - q) / distance for p, q in zip(gradient(b), gradient(at))]
        r, d, at = sum(x * y for x, y in zip(d, h)), h, b
    return r

# %% its_own_distance
# Wrong: the distance that is given is left out. It passed once.
# Known mistake: This differs from the right value where the distance is not 1e-4: use the distance that is given.
import numpy as np


def largest_curvature(gradient, *, at, start, iterations, distance=1e-4):
    here, image = np.array(gradient(at)), np.array(start)
    for _ in range(iterations):
        direction = image / np.linalg.norm(image)
        image = (np.array(gradient((at + 1e-4 * direction).tolist())) - here) / 1e-4
    return direction @ image
