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
