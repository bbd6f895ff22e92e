# Wrong: right for small layers; a 16-bit sum wraps around for large ones.
import numpy as np


def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    tokens = np.array([sequence * micro_batch]).astype(np.int16)
    with np.errstate(over="ignore"):
        return int((tokens * np.array([12 * hidden + 4 * shared + 8 * width + 4 * heads]).astype(np.int16))[0])
