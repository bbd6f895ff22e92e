# Wrong: the weights have 2 bytes.
# Known mistake: Stage 2 leaves the weights whole, and a weight has 2 bytes.
def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = {0: 16, 1: 4, 2: 1, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return 1 if room >= 0 else None
    largest = room // (16 - whole)
    return -(-parameters // largest) if largest >= 1 else None
