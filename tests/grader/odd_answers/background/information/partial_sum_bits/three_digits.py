# Wrong: rounded to three digits.
import numpy as np


def partial_sum_bits(probabilities, *, ranks):
    total, found = np.ones(1), []
    for _ in range(ranks):
        total = np.convolve(total, probabilities)
        comes = total[total > 0]
        found.append(round(float(-(comes * np.log2(comes)).sum()), 3))
    return found
