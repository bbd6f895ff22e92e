# %% gives_up_a_thousandth_above
# Wrong: takes a thousandth of a nat above the floor for the floor. It passed once.
import math


def compute_multiple(*, loss, gain, floor, exponent):
    above = loss - floor
    if gain >= above - 0.001:
        return math.inf
    return (above / (above - gain)) ** (1 / exponent)

# %% gives_up_near_the_floor
# Wrong: takes a hundredth of a nat above the floor for the floor. It passed once.
import math


def compute_multiple(*, loss, gain, floor, exponent):
    above = loss - floor
    if gain >= above - 0.01:
        return math.inf
    return (above / (above - gain)) ** (1 / exponent)

# %% with_logarithms
# Right: the same through logarithms, and refuses nothing that is asked.
import math


def compute_multiple(*, loss, gain, floor, exponent):
    left = loss - gain - floor
    if left <= 1e-12:
        return float("inf")
    return math.exp((math.log(loss - floor) - math.log(left)) / exponent)
