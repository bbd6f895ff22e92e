# Wrong: 0 times the logarithm of 0 is not a number in NumPy.
# Message: nan
import numpy as np


def entropy_and_divergence_bits(p, q):
    with np.errstate(all="ignore"):
        p, q = np.array(p), np.array(q)
        return float(-(p * np.log2(p)).sum()), float((p * np.log2(p / q)).sum())
