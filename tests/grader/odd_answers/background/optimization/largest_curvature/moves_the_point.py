# Wrong: shifts the point that it was given.
# Message: at is changed: work on a copy
from math import hypot


def largest_curvature(gradient, at, start, iterations, distance=1e-4):
    here = gradient(at)
    for _ in range(iterations):
        length = hypot(*start)
        direction = [x / length for x in start]
        for i, d in enumerate(direction):
            at[i] += distance * d
        start = [(a - b) / distance for a, b in zip(gradient(at), here)]
        for i, d in enumerate(direction):
            at[i] = at[i] - distance * d + 1e-9
    return sum(d * h for d, h in zip(direction, start))
