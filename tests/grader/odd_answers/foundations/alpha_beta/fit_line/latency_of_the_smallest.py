# Wrong: takes the smallest message's time for α, and fits only the slope.
import numpy as np


def fit_line(sizes_bytes, times_s):
    n, t = np.array(sizes_bytes), np.array(times_s)
    slope = ((t - t[0]) * n / t**2).sum() / (n * n / t**2).sum()
    return float(t[0]), float(1 / slope)
