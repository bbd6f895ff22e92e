# %% a_numpy_number
# Right: one of NumPy's integers.
import numpy as np


def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    widths = np.array([hidden, hidden // heads * key_value_heads, width, heads], dtype=np.int64)
    return sequence * micro_batch * np.array([12, 4, 8, 4]) @ widths
