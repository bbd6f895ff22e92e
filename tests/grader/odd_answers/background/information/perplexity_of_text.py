# %% by_geometric_mean
# Right: one over the geometric mean.
from math import inf
from statistics import geometric_mean


def perplexity_of_text(token_probabilities):
    return inf if min(token_probabilities) == 0 else 1 / geometric_mean(token_probabilities)

# %% by_numpy
# Right: the logarithm of 0 is −inf in NumPy.
import numpy as np


def perplexity_of_text(token_probabilities):
    with np.errstate(divide="ignore"):
        return np.exp(-np.log(token_probabilities).mean())
