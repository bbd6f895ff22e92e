# Wrong: the right choice, written as a yes or no for each factor.
# Known mistake: You return a yes or no for each factor; asked are the places of those to measure.
import math


def choose_measurements(factors, *, within):
    def reach(mask):
        return math.hypot(*(f[2] * math.log(f[1] if yes else f[0]) for f, yes in zip(factors, mask, strict=True)))

    numbers = range(2 ** len(factors))
    masks = [[bool(number >> place & 1) for place in range(len(factors))] for number in numbers]
    fitting = [mask for mask in masks if reach(mask) <= math.log(within) * (1 + 1e-12)]
    return min(fitting, key=lambda mask: sum(f[3] for f, yes in zip(factors, mask, strict=True) if yes))
