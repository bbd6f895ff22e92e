# Wrong: a token without a chance gets a small one.
from math import exp, log


def perplexity_of_text(token_probabilities):
    return exp(-sum(log(p + 1e-12) for p in token_probabilities) / len(token_probabilities))
