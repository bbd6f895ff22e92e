# Wrong: keeps the rotated queries and keys beside those that came out of the projections.
# Known mistake: Rotary positions are applied in place: there is no second copy of queries and keys.
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    rotated = 2 * hidden + 2 * shared
    return sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 4 * heads + rotated)
