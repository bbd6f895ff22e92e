# Wrong: the logarithm of the ratio, which has no value where all are awaited.
# Known mistake: The logarithm comes near the sum where many ranks are awaited and many are left; here it is not exact.
from math import log


def first_of(*, fastest_s, excess_s, ranks, awaited):
    return fastest_s + excess_s * log(ranks / (ranks - awaited))
