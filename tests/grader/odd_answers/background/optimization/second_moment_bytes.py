# %% no_default
# Wrong: bytes_per_number has a default, which is used.
# Message: TypeError
from math import prod


def second_moment_bytes(shapes, *, factored, bytes_per_number):
    return bytes_per_number * sum(sum(s) if factored and len(s) == 2 else prod(s) for s in shapes)

# %% numpy
# Right: NumPy's product of an empty shape is the float 1.0.
import numpy as np


def second_moment_bytes(shapes, *, factored, bytes_per_number=4):
    kept = [np.sum(shape) if factored and len(shape) == 2 else np.prod(shape) for shape in shapes]
    return bytes_per_number * sum(kept)
