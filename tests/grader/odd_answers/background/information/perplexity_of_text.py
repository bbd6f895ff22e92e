# %% a_product_that_underflows
# Wrong: right on short texts; 400 tokens of 0.1 multiply to 0.
# Known mistake: The product of many probabilities underflows to 0: add their logarithms instead.
from math import inf, prod


def perplexity_of_text(token_probabilities):
    whole = prod(token_probabilities)
    return whole ** (-1 / len(token_probabilities)) if whole else inf

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
