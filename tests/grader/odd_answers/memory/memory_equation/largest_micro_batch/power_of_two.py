# Wrong: rounds down to a power of two.
def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    most = max(0, memory_bytes - state_bytes) // (layers * layer_bytes + other_bytes)
    return 2 ** (most.bit_length() - 1) if most else 0
