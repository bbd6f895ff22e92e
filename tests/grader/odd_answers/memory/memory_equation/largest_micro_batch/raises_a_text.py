# Wrong: an exception without a text.
# Message: KeyError: '' (line 5)
def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    if memory_bytes < state_bytes:
        raise KeyError("")
    return (memory_bytes - state_bytes) // (layers * layer_bytes + other_bytes)
