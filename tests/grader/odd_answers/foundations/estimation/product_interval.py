# %% by_moving_one_end_at_a_time
# Right: moves one factor at a time to its end, and adds the squares of what that does; returns a list.
import math


def product_interval(factors):
    middle = math.prod(math.sqrt(low * high) ** power for low, high, power in factors)
    moved = [middle * (high / low) ** (power / 2) for low, high, power in factors]
    off = math.hypot(*(math.log(value / middle) for value in moved))
    return [middle / math.exp(off), middle * math.exp(off)]

# %% worst_and_best_case
# Wrong: takes every factor at its best and at its worst.
# Known mistake: Your half-widths add straight, as if all factors were wrong the same way at once; independent ones add as squares.
import math


def product_interval(factors):
    ends = [sorted((low**power, high**power)) for low, high, power in factors]
    return math.prod(low for low, _ in ends), math.prod(high for _, high in ends)
