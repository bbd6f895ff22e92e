# Right: one number after the other, NumPy's integer in the end.
from fractions import Fraction

import numpy as np


def least_micro_batches(stages, bubble, chunks=1):
    batches = stages if chunks > 1 else 1
    while Fraction(stages - 1, chunks * batches + stages - 1) >= bubble:
        batches += 1
    return np.int64(batches)
