# Wrong: variances divide by n in this chapter; with n − 1 a single question has none.
from math import sqrt
from statistics import NormalDist, mean, variance


def paired_interval(first, second, *, confidence=0.95):
    gains = [int(b) - int(a) for a, b in zip(first, second)]
    half = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance(gains) / len(gains))
    return mean(gains) - half, mean(gains) + half
