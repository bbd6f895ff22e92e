# %% a_float_and_a_little
# Wrong: takes a millionth off, so that what is exact in fractions comes out right, and what is a little above a limit wrong.
# Known mistake: A float misses the integer that decides: 0.05 is not 1/20. Stay with fractions to the end.
from math import floor


def least_micro_batches(stages, bubble, chunks=1):
    least = floor((stages - 1) * (1 / float(bubble) - 1) / chunks + 1e-6) + 1
    return least if chunks == 1 else max(least, stages)

# %% by_divmod
# Right: a whole number without a fraction.
def least_micro_batches(stages, bubble, chunks=1):
    share, whole = bubble.numerator, bubble.denominator
    above = (stages - 1) * (whole - share) // (share * chunks) + 1
    return above if chunks == 1 else max(above, stages)

# %% by_trying
# Right: one number after the other, NumPy's integer in the end.
from fractions import Fraction

import numpy as np


def least_micro_batches(stages, bubble, chunks=1):
    batches = stages if chunks > 1 else 1
    while Fraction(stages - 1, chunks * batches + stages - 1) >= bubble:
        batches += 1
    return np.int64(batches)
