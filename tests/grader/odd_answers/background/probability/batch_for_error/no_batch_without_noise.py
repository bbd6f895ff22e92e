# Wrong: a batch has at least one example.
from math import ceil


def batch_for_error(*, variance, error, population=None):
    if population is None:
        return ceil(variance / error**2)
    return ceil(population * variance / ((population - 1) * error**2 + variance)) if variance else 0
