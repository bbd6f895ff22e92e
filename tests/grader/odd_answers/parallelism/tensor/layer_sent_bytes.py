# %% as_a_float
# Right: a whole number as a float.
def layer_sent_bytes(*, tokens, hidden, layers, ranks, element_bytes, mode):
    k = 10 if mode.endswith("again") else 8
    return float(k * layers * (ranks - 1) * tokens * hidden * element_bytes // ranks)

# %% in_numpy_integers
# Right: block by block, and a NumPy integer in the end.
import numpy as np


def layer_sent_bytes(*, tokens, hidden, layers, ranks, element_bytes, mode):
    half = (ranks - 1) * (tokens // ranks) * hidden * element_bytes
    block = 4 if mode != "sequence, gathered again" else 5
    return np.int64(2 * layers * block * half)
