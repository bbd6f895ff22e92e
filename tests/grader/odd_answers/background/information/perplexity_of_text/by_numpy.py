# Right: the logarithm of 0 is −inf in NumPy.
import numpy as np


def perplexity_of_text(token_probabilities):
    with np.errstate(divide="ignore"):
        return np.exp(-np.log(token_probabilities).mean())
