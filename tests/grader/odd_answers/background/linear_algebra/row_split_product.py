# %% a_list_of_two
# Right: a list of two where a pair is asked.
import numpy as np


def row_split_product(a, b, parts):
    strips = np.array_split(a, parts)
    blocks = [strip @ b for strip in strips]
    return [blocks, [x.nbytes + b.nbytes + y.nbytes for x, y in zip(strips, blocks)]]

# %% bytes_in_an_array
# Right: NumPy's integers in an array where a list of numbers is asked.
import numpy as np


def row_split_product(a, b, parts):
    blocks = np.array_split(a @ b, parts)
    rows = np.array([len(block) for block in blocks])
    return tuple(blocks), a.itemsize * (rows * a.shape[1] + b.size + rows * b.shape[1])
