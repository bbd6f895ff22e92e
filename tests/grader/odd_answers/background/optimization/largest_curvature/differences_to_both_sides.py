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
