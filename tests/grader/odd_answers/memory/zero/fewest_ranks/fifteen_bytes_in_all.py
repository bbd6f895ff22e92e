# Wrong: 8 billion parameters on 24 GB.
# Known mistake: A parameter has 16 bytes of state in all, 2 + 2 + 12; you cut 15 less those that are whole.
def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return 1 if room >= 0 else None
    largest = room // (15 - whole)
    return -(-parameters // largest) if largest >= 1 else None
