# Right: α and β in an array.
import numpy as np


def fit_line(sizes_bytes, times_s):
    slope, latency = np.polyfit(sizes_bytes, times_s, 1, w=1 / np.array(times_s))
    return np.array([latency, 1 / slope])
