# Right: a generator where a list is asked.
import numpy as np


def k_split_product(a, b, parts):
    for columns, rows in zip(np.array_split(a, parts, axis=1), np.array_split(b, parts)):
        yield columns @ rows
