# Right: a whole number as one of NumPy's floats.
import numpy as np


def batch_for_error(*, variance, error, population=None):
    if population in (None, 1) or variance == 0:
        return np.maximum(1, np.ceil(variance / error**2)) if population != 1 else 1
    return np.ceil(population * variance / ((population - 1) * error**2 + variance))
