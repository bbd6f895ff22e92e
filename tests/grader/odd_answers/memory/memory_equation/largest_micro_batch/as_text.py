# Wrong: a number as a text.
def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    return str(max(0, memory_bytes - state_bytes) // (layers * layer_bytes + other_bytes))
