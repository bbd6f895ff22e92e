# Wrong: one number for each parameter instead of their sum.
from math import prod


def second_moment_bytes(shapes, *, factored, bytes_per_number=4):
    return [bytes_per_number * (sum(s) if factored and len(s) == 2 else prod(s)) for s in shapes]
