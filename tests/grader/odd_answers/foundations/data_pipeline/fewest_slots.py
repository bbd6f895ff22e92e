# %% root_as_a_float
# Wrong: a root as a float, which may lie just above the slots that are asked for; it passed once.
# Known mistake: Right but for rounding: where a whole number of slots just meets the chance, the root as a float may lie beside it. Compare whole numbers: 100 (H - 1)^d with percent · H^d.
import math


def fewest_slots(*, draws, percent):
    return math.ceil(1 / (1 - (percent / 100) ** (1 / draws)))
