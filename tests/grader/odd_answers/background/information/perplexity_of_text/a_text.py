# Wrong: the number as a text.
from math import exp, inf, log


def perplexity_of_text(token_probabilities):
    if 0 in token_probabilities:
        return "inf"
    return str(exp(-sum(map(log, token_probabilities)) / len(token_probabilities)))
