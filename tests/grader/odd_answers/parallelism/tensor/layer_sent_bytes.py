# %% as_a_float
# Right: a whole number as a float.
def layer_sent_bytes(*, tokens, hidden, layers, ranks, element_bytes, mode):
    k = 10 if mode.endswith("again") else 8
    return float(k * layers * (ranks - 1) * tokens * hidden * element_bytes // ranks)

# %% halves_are_rounded
# Wrong: divides tokens and width by the ranks, and rounds before it multiplies.
# Message: bytes
def layer_sent_bytes(*, tokens, hidden, layers, ranks, element_bytes, mode):
    k = 10 if mode.endswith("again") else 8
    return k * layers * (ranks - 1) * tokens * (hidden // ranks) * element_bytes

# %% in_megabytes
# Wrong: megabytes.
# Message: bytes
def layer_sent_bytes(*, tokens, hidden, layers, ranks, element_bytes, mode):
    k = 10 if mode.endswith("again") else 8
    return k * layers * (ranks - 1) * tokens * hidden * element_bytes // ranks // 10**6

# %% in_numpy_integers
# Right: block by block, and a NumPy integer in the end.
import numpy as np


def layer_sent_bytes(*, tokens, hidden, layers, ranks, element_bytes, mode):
    half = (ranks - 1) * (tokens // ranks) * hidden * element_bytes
    block = 4 if mode != "sequence, gathered again" else 5
    return np.int64(2 * layers * block * half)

# %% knows_two_bytes
# Wrong: numbers of 2 bytes, whatever is asked.
# Message: bytes
def layer_sent_bytes(*, tokens, hidden, layers, ranks, element_bytes, mode):
    k = 10 if mode.endswith("again") else 8
    return k * layers * (ranks - 1) * tokens * hidden * 2 // ranks
