# Wrong: one branch does not return what it computes.
def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        found = 1 if room >= 0 else None
    elif room // (16 - whole) > 0:
        return -(-parameters // (room // (16 - whole)))
