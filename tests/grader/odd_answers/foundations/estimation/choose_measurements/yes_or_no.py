# Wrong: the right choice, written as a yes or no for each factor.
# Known mistake: You return a yes or no for each factor; asked are the places of those to measure.
import itertools
import math


def choose_measurements(factors, *, within):
    def reach(mask):
        return math.hypot(*(f[2] * math.log(f[1] if yes else f[0]) for f, yes in zip(factors, mask, strict=True)))

    masks = itertools.product((False, True), repeat=len(factors))
    fitting = [mask for mask in masks if reach(mask) <= math.log(within) * (1 + 1e-12)]
    return list(min(fitting, key=lambda mask: sum(f[3] for f, yes in zip(factors, mask, strict=True) if yes)))
