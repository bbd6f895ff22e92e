# Wrong: a divergence that is infinite is no large number.
from math import log2


def entropy_and_divergence_bits(p, q):
    extra = sum(a * log2(a / max(b, 1e-300)) for a, b in zip(p, q) if a)
    return -sum(a * log2(a) for a in p if a), extra
