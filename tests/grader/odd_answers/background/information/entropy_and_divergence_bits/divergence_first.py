# Wrong: the two numbers in another order.
# Message: order
from math import inf, log2


def entropy_and_divergence_bits(p, q):
    extra = sum(a * log2(a / b) if b else inf for a, b in zip(p, q) if a)
    return extra, -sum(a * log2(a) for a in p if a)
