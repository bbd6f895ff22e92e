# Wrong: one byte too many.
# Message: always one too many
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 4 * heads) + 1
