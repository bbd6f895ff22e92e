# Wrong: B = d / ln(1/p), which is right for many draws only.
import math


def fewest_slots(*, draws, percent):
    return math.ceil(draws / math.log(100 / percent))
