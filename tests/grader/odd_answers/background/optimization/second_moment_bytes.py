# %% numpy
# Right: NumPy's product of an empty shape is the float 1.0.
import numpy as np


def second_moment_bytes(shapes, *, factored, bytes_per_number=4):
    kept = [np.sum(shape) if factored and len(shape) == 2 else np.prod(shape) for shape in shapes]
    return bytes_per_number * sum(kept)
