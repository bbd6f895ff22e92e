# Right: a list of two where a pair is asked.
import numpy as np


def row_split_product(a, b, parts):
    strips = np.array_split(a, parts)
    blocks = [strip @ b for strip in strips]
    return [blocks, [x.nbytes + b.nbytes + y.nbytes for x, y in zip(strips, blocks)]]
