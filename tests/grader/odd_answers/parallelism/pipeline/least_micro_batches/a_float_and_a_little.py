# Wrong: takes a millionth off, so that what is exact in fractions comes out right, and what is a little above a limit wrong.
# Known mistake: A float misses the integer that decides: 0.05 is not 1/20. Stay with fractions to the end.
from math import floor


def least_micro_batches(stages, bubble, chunks=1):
    least = floor((stages - 1) * (1 / float(bubble) - 1) / chunks + 1e-6) + 1
    return least if chunks == 1 else max(least, stages)
