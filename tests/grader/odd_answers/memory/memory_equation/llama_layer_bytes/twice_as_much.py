# Wrong: 4 bytes a value and 8 a log-sum-exp: always double.
# Message: the expected × 2
def llama_layer_bytes(sequence, micro_batch, hidden, heads, key_value_heads, width):
    shared = hidden // heads * key_value_heads
    return 2 * sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 4 * heads)
