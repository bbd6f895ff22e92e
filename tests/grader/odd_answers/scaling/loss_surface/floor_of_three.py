# %% aitken
# Right: Aitken's formula, and the exponent from the parts above the floor.
import math


def floor_of_three(losses, *, ratio):
    a, b, c = losses
    floor = (a * c - b * b) / (a + c - 2 * b)
    return [floor, math.log((a - floor) / (c - floor)) / (2 * math.log(ratio))]
