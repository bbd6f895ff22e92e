# %% by_moving_one_end_at_a_time
# Right: moves one factor at a time to its end, and adds the squares of what that does; returns a list.
import math


def product_interval(factors):
    middle = math.prod(math.sqrt(low * high) ** power for low, high, power in factors)
    moved = [middle * (high / low) ** (power / 2) for low, high, power in factors]
    off = math.hypot(*(math.log(value / middle) for value in moved))
    return [middle / math.exp(off), middle * math.exp(off)]

# %% variance_for_deviation
# Wrong: no root.
# Known mistake: You added up the squares of the half-widths; the product's half-width is the root of the sum.
import math


def product_interval(factors):
    middle = math.prod(math.sqrt(low * high) ** power for low, high, power in factors)
    off = math.exp(sum((power * math.log(high / low) / 2) ** 2 for low, high, power in factors))
    return middle / off, middle * off
