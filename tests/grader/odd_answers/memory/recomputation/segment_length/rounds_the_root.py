# Wrong: rounds the root instead of trying the divisors.
from math import sqrt


def segment_length(*, layers, input_bytes, kept_bytes):
    return max(1, round(sqrt(layers * input_bytes / kept_bytes)))
