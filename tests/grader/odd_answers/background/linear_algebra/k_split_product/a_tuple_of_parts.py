# Right: a tuple where a list is asked.
import numpy as np


def k_split_product(a, b, parts):
    return tuple(x @ y for x, y in zip(np.array_split(a, parts, axis=1), np.array_split(b, parts)))
