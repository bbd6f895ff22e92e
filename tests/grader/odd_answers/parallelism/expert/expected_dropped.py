# %% by_complement
# Right: the mean load minus what is computed.
from math import comb


def expected_dropped(*, tokens, shares, capacity):
    total = 0
    for p in shares:
        kept = sum(min(x, capacity) * comb(tokens, x) * p**x * (1 - p) ** (tokens - x) for x in range(tokens + 1))
        total += tokens * p - kept
    return total

# %% nine_more
# Wrong: loads up to a few more than the capacity. It passed once.
import math


def expected_dropped(*, tokens, shares, capacity):
    total = 0.0
    for s in shares:
        for x in range(capacity + 1, min(tokens, capacity + 40) + 1):
            total += (x - capacity) * math.comb(tokens, x) * s**x * (1 - s) ** (tokens - x)
    return total
