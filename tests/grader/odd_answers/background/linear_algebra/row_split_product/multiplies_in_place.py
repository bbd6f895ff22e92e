# Wrong: writes into the matrix that it was given.
# Message: a is changed: work on a copy
import numpy as np


def row_split_product(a, b, parts):
    strips = np.array_split(a, parts)
    blocks = [strip @ b for strip in strips]
    held = [x.nbytes + b.nbytes + y.nbytes for x, y in zip(strips, blocks)]
    a *= 0
    return blocks, held
