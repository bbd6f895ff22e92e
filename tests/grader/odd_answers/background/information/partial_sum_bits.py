# %% entropies_that_are_yielded
# Right: a generator where a list is asked.
from collections import Counter
from math import log2


def partial_sum_bits(probabilities, *, ranks):
    total = Counter({0: 1.0})
    for _ in range(ranks):
        longer = Counter()
        for value, share in total.items():
            for more, chance in enumerate(probabilities):
                longer[value + more] += share * chance
        total = longer
        yield -sum(share * log2(share) for share in total.values() if share)

# %% numpy
# Right: an array, and NumPy's convolution.
import numpy as np


def partial_sum_bits(probabilities, *, ranks):
    total, found = np.ones(1), []
    for _ in range(ranks):
        total = np.convolve(total, probabilities)
        comes = total[total > 0]
        found.append(-(comes * np.log2(comes)).sum())
    return np.array(found)

# %% small_chances_dropped
# Wrong: leaves out sums that hardly ever come.
# Message: 8
import numpy as np


def partial_sum_bits(probabilities, *, ranks):
    total, found = np.ones(1), []
    for _ in range(ranks):
        total = np.convolve(total, probabilities)
        comes = total[total > 1e-5]
        found.append(-(comes * np.log2(comes)).sum())
    return found
