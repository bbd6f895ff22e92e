# %% numpy
# Right: NumPy's float.
import numpy as np


def first_of(*, fastest_s, excess_s, ranks, awaited):
    return fastest_s + excess_s * np.sum(1 / np.arange(ranks - awaited + 1, ranks + 1))

# %% two_harmonic_numbers
# Right: the difference of two harmonic numbers.
from fractions import Fraction


def first_of(*, fastest_s, excess_s, ranks, awaited):
    H = lambda n: sum(Fraction(1, i) for i in range(1, n + 1))
    return fastest_s + excess_s * float(H(ranks) - H(ranks - awaited))
