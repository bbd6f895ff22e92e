# Wrong: the ends are asked as they come, not cut off at −1 and 1.
from statistics import NormalDist

import numpy as np


def paired_interval(first, second, *, confidence=0.95):
    gains = np.array(second, int) - np.array(first, int)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * gains.std() / np.sqrt(len(gains))
    return max(-1.0, gains.mean() - half), min(1.0, gains.mean() + half)
