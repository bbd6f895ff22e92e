# %% an_array
# Right: both ends in an array.
from statistics import NormalDist

import numpy as np


def paired_interval(first, second, *, confidence=0.95):
    gains = np.array(second, int) - np.array(first, int)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * gains.std() / np.sqrt(len(gains))
    return gains.mean() + half * np.array([-1, 1])

# %% rounded_z
# Right: 1.96 for a confidence of 95%.
from math import sqrt
from statistics import NormalDist, mean, pvariance


def paired_interval(first, second, *, confidence=0.95):
    z = 1.96 if confidence == 0.95 else NormalDist().inv_cdf((1 + confidence) / 2)
    gains = [int(b) - int(a) for a, b in zip(first, second)]
    half = z * sqrt(pvariance(gains) / len(gains))
    return mean(gains) - half, mean(gains) + half

# %% upper_end_first
# Wrong: the right ends in another order.
# Message: order
from statistics import NormalDist

import numpy as np


def paired_interval(first, second, *, confidence=0.95):
    gains = np.array(second, int) - np.array(first, int)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * gains.std() / np.sqrt(len(gains))
    return gains.mean() + half, gains.mean() - half
