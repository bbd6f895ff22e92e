# Wrong: a list as a default is the same list in every call.
import numpy as np


def partial_sum_bits(probabilities, *, ranks, found=[]):
    total = np.ones(1)
    for _ in range(ranks):
        total = np.convolve(total, probabilities)
        comes = total[total > 0]
        found.append(float(-(comes * np.log2(comes)).sum()))
    return found
