# Wrong: a matrix of one row or column, 1 × n, is factored too: n + 1.
from math import prod


def second_moment_bytes(shapes, *, factored, bytes_per_number=4):
    return bytes_per_number * sum(min(sum(s), prod(s)) if factored and len(s) == 2 else prod(s) for s in shapes)
