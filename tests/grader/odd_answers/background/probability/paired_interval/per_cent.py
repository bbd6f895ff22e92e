# Wrong: in per cent, not as shares of 1.
from math import sqrt
from statistics import NormalDist, mean, pvariance


def paired_interval(first, second, *, confidence=0.95):
    gains = [int(b) - int(a) for a, b in zip(first, second)]
    half = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(pvariance(gains) / len(gains))
    return 100 * (mean(gains) - half), 100 * (mean(gains) + half)
