# Right: a whole number as one of NumPy's floats.
import numpy as np


def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = [16, 4, 2, 0][stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return np.float64(1) if room >= 0 else None
    each = np.floor(room / (16 - whole))
    return np.ceil(parameters / each) if each > 0 else None
