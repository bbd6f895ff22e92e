# %% at_most_10_000
# Wrong: None where more than 10,000 ranks are needed.
# Message: 20001 ranks
def fewest_ranks(*, parameters, memory_bytes, other_bytes, stage):
    whole = (16, 4, 2, 0)[stage] * parameters
    sharded = 16 - (16, 4, 2, 0)[stage]
    room = memory_bytes - other_bytes - whole
    if room < 0:
        return None
    if sharded == 0:
        return 1
    largest = room // sharded
    if largest == 0:
        return None
    N = -(-parameters // largest)
    return N if N <= 10000 else None

# %% at_most_as_many_as_eight
# Wrong: a node has 8 devices, and nobody asked. It passed once.
def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return 1 if room >= 0 else None
    largest = room // (16 - whole)
    return min(8, -(-parameters // largest)) if largest >= 1 else None

# %% numpy
# Right: a whole number as one of NumPy's floats.
import numpy as np


def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = [16, 4, 2, 0][stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return np.float64(1) if room >= 0 else None
    each = np.floor(room / (16 - whole))
    return np.ceil(parameters / each) if each > 0 else None
