# Right: NumPy's integers in an array where a list of numbers is asked.
import numpy as np


def row_split_product(a, b, parts):
    blocks = np.array_split(a @ b, parts)
    rows = np.array([len(block) for block in blocks])
    return tuple(blocks), a.itemsize * (rows * a.shape[1] + b.size + rows * b.shape[1])
