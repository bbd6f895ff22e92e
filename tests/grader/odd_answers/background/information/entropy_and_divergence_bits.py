# %% an_array
# Right: both numbers in an array.
import numpy as np


def entropy_and_divergence_bits(p, q):
    with np.errstate(all="ignore"):
        p, q = np.array(p), np.array(q)
        comes = p > 0
        return np.array([-(p * np.log2(p))[comes].sum(), (p * np.log2(p / q))[comes].sum()])

# %% divergence_first
# Wrong: the two numbers in another order.
# Message: order
from math import inf, log2


def entropy_and_divergence_bits(p, q):
    extra = sum(a * log2(a / b) if b else inf for a, b in zip(p, q) if a)
    return extra, -sum(a * log2(a) for a in p if a)
