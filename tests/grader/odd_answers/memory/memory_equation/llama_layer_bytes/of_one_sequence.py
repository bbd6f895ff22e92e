# Wrong: leaves the micro-batch out.
# Message: micro_batch
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return sequence * (12 * hidden + 4 * shared + 8 * width + 4 * heads)
