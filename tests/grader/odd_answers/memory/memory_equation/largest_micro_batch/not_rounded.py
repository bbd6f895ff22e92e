# Wrong: a part of a sequence is no sequence.
def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    return max(0, memory_bytes - state_bytes) / (layers * layer_bytes + other_bytes)
