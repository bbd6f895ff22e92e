# Wrong: the right ends in another order.
# Message: order
from statistics import NormalDist

import numpy as np


def paired_interval(first, second, *, confidence=0.95):
    gains = np.array(second, int) - np.array(first, int)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * gains.std() / np.sqrt(len(gains))
    return gains.mean() + half, gains.mean() - half
