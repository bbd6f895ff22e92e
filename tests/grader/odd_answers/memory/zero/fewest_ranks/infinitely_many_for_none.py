# Wrong: None is asked.
from math import ceil, inf


def fewest_ranks(parameters, memory_bytes, other_bytes, stage):
    whole = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if stage == 0:
        return 1 if room >= 0 else inf
    largest = room // (16 - whole)
    return ceil(parameters / largest) if largest > 0 else inf
