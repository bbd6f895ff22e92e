# Wrong: bytes_per_number has a default, which is used.
# Message: TypeError
from math import prod


def second_moment_bytes(shapes, *, factored, bytes_per_number):
    return bytes_per_number * sum(sum(s) if factored and len(s) == 2 else prod(s) for s in shapes)
