# Wrong: None where more than 10,000 ranks are needed.
# Message: 20001 ranks
def fewest_ranks(*, parameters, memory_bytes, other_bytes, stage):
    whole = (16, 4, 2, 0)[stage] * parameters
    sharded = 16 - (16, 4, 2, 0)[stage]
    room = memory_bytes - other_bytes - whole
    if room < 0:
        return None
    if sharded == 0:
        return 1
    largest = room // sharded
    if largest == 0:
        return None
    N = -(-parameters // largest)
    return N if N <= 10000 else None
