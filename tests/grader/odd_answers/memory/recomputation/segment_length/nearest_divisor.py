# Wrong: the divisor that is nearest to the root.
from math import sqrt


def segment_length(*, layers, input_bytes, kept_bytes):
    divisors = [k for k in range(1, layers + 1) if not layers % k]
    return min(divisors, key=lambda k: abs(k - sqrt(layers * input_bytes / kept_bytes)))
