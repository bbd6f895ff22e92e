# %% fractions
# Right: fractions for floats.
from fractions import Fraction


def token_weights(*, tokens):
    total = sum(map(sum, tokens))
    return [[Fraction(len(tokens) * t, total) for t in own] for own in tokens]

# %% numpy
# Right: NumPy's numbers.
import numpy as np


def token_weights(*, tokens):
    total = sum(map(sum, tokens))
    return [list(np.array(own) * len(tokens) / total) for own in tokens]

# %% tuples
# Right: tuples for lists.
def token_weights(*, tokens):
    total = sum(t for own in tokens for t in own)
    return tuple(tuple(t / (total / len(tokens)) for t in own) for own in tokens)
