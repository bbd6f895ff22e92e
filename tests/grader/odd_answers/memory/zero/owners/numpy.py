# Right: an array.
import numpy as np


def owners(sizes, ranks):
    owner, loads = np.zeros(len(sizes), int), np.zeros(ranks)
    for index in np.argsort(-np.array(sizes, dtype=int), kind="stable"):
        owner[index] = loads.argmin()
        loads[owner[index]] += sizes[index]
    return owner
