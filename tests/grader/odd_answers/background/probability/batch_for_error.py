# %% by_trying
# Right: tries one batch after the other.
def batch_for_error(variance, error, population=None):
    batch = 1
    while True:
        square = variance / batch
        if population is not None and population > 1:
            square *= (population - batch) / (population - 1)
        if square <= error**2 or batch == population:
            return batch
        batch += 1

# %% numpy_ceil
# Right: a whole number as one of NumPy's floats.
import numpy as np


def batch_for_error(*, variance, error, population=None):
    if population in (None, 1) or variance == 0:
        return np.maximum(1, np.ceil(variance / error**2)) if population != 1 else 1
    return np.ceil(population * variance / ((population - 1) * error**2 + variance))

# %% no_example_for_no_variance
# Wrong: a batch of 0 where the variance is 0; it passed once.
# Message: 0
import math


def batch_for_error(*, variance, error, population=None):
    if population is None:
        return math.ceil(variance / error**2)
    if variance == 0:
        return 1
    batch = variance / error**2
    return max(1, math.ceil(population * batch / (population - 1 + batch)))

# %% rounds_down
# Wrong: rounds down, and gives 1 at least; its verdict was lost once, with a KeyError.
# Message: wrong only where population = None, there always one too few
import math


def batch_for_error(*, variance, error, population=None):
    if population is None:
        return max(1, math.floor(variance / error**2))
    if variance == 0:
        return 1
    batch = variance / error**2
    return math.ceil(population * batch / (population - 1 + batch))

# %% below_the_error
# Wrong: takes one more where a batch is off by just the error, if examples are drawn without replacement; it passed once.
# Message: 2
import math


def batch_for_error(*, variance, error, population=None):
    batch = variance / error**2
    if population is None:
        return max(1, math.ceil(batch))
    return min(population, math.floor(batch * population / (population - 1 + batch)) + 1) if batch else 1

# %% rule_of_thumb
# Wrong: no factor where the batch is a small part of the data; it passed once.
# Known mistake: You left the factor away where the batch is a small part of the data. It's then near 1, but the smallest batch is asked for.
import math


def batch_for_error(*, variance, error, population=None):
    batch = variance / error**2
    if population is not None and batch > population / 10:
        batch = population * batch / (population - 1 + batch)
    return max(1, math.ceil(batch))
