# %% nearest_divisor
# Wrong: the divisor that is nearest to the root. It passed once.
from math import sqrt


def segment_length(*, layers, input_bytes, kept_bytes):
    divisors = [k for k in range(1, layers + 1) if not layers % k]
    return min(divisors, key=lambda k: abs(k - sqrt(layers * input_bytes / kept_bytes)))

# %% six_at_most
# Wrong: tries lengths up to six. It passed once.
def segment_length(*, layers, input_bytes, kept_bytes):
    divisors = [k for k in range(1, 7) if not layers % k]
    return min(divisors, key=lambda k: layers // k * input_bytes + k * kept_bytes)

# %% whole_ratio
# Wrong: rounds the ratio of record and input down. It passed once.
def segment_length(*, layers, input_bytes, kept_bytes):
    ratio = kept_bytes // input_bytes
    divisors = [k for k in range(1, layers + 1) if not layers % k]
    return min(divisors, key=lambda k: layers // k + k * ratio)

# %% with_min
# Right: the first of the least, by min with a key.
def segment_length(*, layers, input_bytes, kept_bytes):
    divisors = [k for k in range(1, layers + 1) if not layers % k]
    return min(divisors, key=lambda k: layers / k * input_bytes + k * kept_bytes)
