# Wrong: a curvature can be negative.
from math import hypot


def largest_curvature(gradient, at, start, iterations, distance=1e-4):
    here = gradient(at)
    for _ in range(iterations):
        length = hypot(*start)
        direction = [x / length for x in start]
        there = gradient([x + distance * d for x, d in zip(at, direction)])
        start = [(a - b) / distance for a, b in zip(there, here)]
    return abs(sum(d * h for d, h in zip(direction, start)))
