# Right: an array, and NumPy's convolution.
import numpy as np


def partial_sum_bits(probabilities, *, ranks):
    total, found = np.ones(1), []
    for _ in range(ranks):
        total = np.convolve(total, probabilities)
        comes = total[total > 0]
        found.append(-(comes * np.log2(comes)).sum())
    return np.array(found)
