# %% by_moving_one_end_at_a_time
# Right: moves one factor at a time to its end, and adds the squares of what that does; returns a list.
import math


def product_interval(factors):
    middle = math.prod(math.sqrt(low * high) ** power for low, high, power in factors)
    moved = [middle * (high / low) ** (power / 2) for low, high, power in factors]
    off = math.hypot(*(math.log(value / middle) for value in moved))
    return [middle / math.exp(off), middle * math.exp(off)]
