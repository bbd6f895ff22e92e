# Wrong: the same, and the shards rightly of 14 bytes.
# Known mistake: Stage 2 leaves the weights whole, and a weight has 2 bytes.
def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole, cut = [(16, 0), (4, 12), (1, 14), (0, 16)][stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return 1 if room >= 0 else None
    largest = room // cut
    return -(-parameters // largest) if largest >= 1 else None
