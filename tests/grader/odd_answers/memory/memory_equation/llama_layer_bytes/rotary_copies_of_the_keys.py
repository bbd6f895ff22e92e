# Wrong: keeps the rotated keys, one for each head of the keys, beside the keys.
# Known mistake: Rotary positions are applied in place: there is no second copy of the keys.
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 6 * shared + 8 * width + 4 * heads)
