# Wrong: loads up to a few more than the capacity.
import math


def expected_dropped(*, tokens, shares, capacity):
    total = 0.0
    for s in shares:
        for x in range(capacity + 1, min(tokens, capacity + 40) + 1):
            total += (x - capacity) * math.comb(tokens, x) * s**x * (1 - s) ** (tokens - x)
    return total
