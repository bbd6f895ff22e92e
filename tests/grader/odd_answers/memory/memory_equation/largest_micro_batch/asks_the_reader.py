# Wrong: waits for somebody to type.
def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    return int(input("How many sequences? "))
