# Wrong: a node has 8 devices, and nobody asked.
def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return 1 if room >= 0 else None
    largest = room // (16 - whole)
    return min(8, -(-parameters // largest)) if largest >= 1 else None
