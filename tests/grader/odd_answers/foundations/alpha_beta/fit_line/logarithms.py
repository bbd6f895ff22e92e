# Wrong: a straight line through the logarithms is another one.
import numpy as np


def fit_line(sizes_bytes, times_s):
    slope, level = np.polyfit(np.log(np.array(sizes_bytes) + 1), np.log(times_s), 1)
    return float(np.exp(level)), float(1 / slope)
