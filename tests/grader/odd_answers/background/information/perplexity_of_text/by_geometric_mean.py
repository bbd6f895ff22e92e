# Right: one over the geometric mean.
from math import inf
from statistics import geometric_mean


def perplexity_of_text(token_probabilities):
    return inf if min(token_probabilities) == 0 else 1 / geometric_mean(token_probabilities)
