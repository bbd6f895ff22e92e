# Wrong: where a batch reaches the error exactly, it is one too many.
from math import floor


def batch_for_error(*, variance, error, population=None):
    if population is None:
        return floor(variance / error**2) + 1
    return min(population, floor(population * variance / ((population - 1) * error**2 + variance)) + 1)
