# Wrong: right on short texts; 400 tokens of 0.1 multiply to 0.
# Known mistake: The product of many probabilities underflows to 0: add their logarithms instead.
from math import inf, prod


def perplexity_of_text(token_probabilities):
    whole = prod(token_probabilities)
    return whole ** (-1 / len(token_probabilities)) if whole else inf
