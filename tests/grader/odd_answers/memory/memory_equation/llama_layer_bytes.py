# %% a_numpy_number
# Right: one of NumPy's integers.
import numpy as np


def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    widths = np.array([hidden, hidden // heads * key_value_heads, width, heads], dtype=np.int64)
    return sequence * micro_batch * np.array([12, 4, 8, 4]) @ widths

# %% exact_to_a_single_byte
# Wrong: one byte too many.
# Message: always one too many
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 4 * heads) + 1

# %% of_one_sequence
# Wrong: leaves the micro-batch out.
# Message: micro_batch
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return sequence * (12 * hidden + 4 * shared + 8 * width + 4 * heads)

# %% rotary_copies
# Wrong: keeps the rotated queries and keys beside those that came out of the projections.
# Known mistake: Rotary positions are applied in place: there is no second copy of queries and keys.
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    rotated = 2 * hidden + 2 * shared
    return sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 4 * heads + rotated)

# %% rotary_copies_of_the_keys
# Wrong: keeps the rotated keys, one for each head of the keys, beside the keys.
# Known mistake: Rotary positions are applied in place: there is no second copy of the keys.
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 6 * shared + 8 * width + 4 * heads)

# %% twice_as_much
# Wrong: 4 bytes a value and 8 a log-sum-exp: always double.
# Message: the expected × 2
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return 2 * sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 4 * heads)
