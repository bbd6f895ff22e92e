# %% root_as_a_float
# Wrong: a root as a float, which may lie just above the slots that are asked for; it passed once.
import math


def fewest_slots(*, draws, percent):
    return math.ceil(1 / (1 - (percent / 100) ** (1 / draws)))
