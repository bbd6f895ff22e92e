# Wrong: takes every factor at its best and at its worst.
# Known mistake: Your half-widths add straight, as if all factors were wrong the same way at once; independent ones add as squares.
import math


def product_interval(factors):
    ends = [sorted((low**power, high**power)) for low, high, power in factors]
    return math.prod(low for low, _ in ends), math.prod(high for _, high in ends)
