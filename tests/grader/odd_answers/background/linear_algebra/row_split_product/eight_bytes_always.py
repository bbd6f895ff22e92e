# Wrong: every number is taken for one of 8 bytes; float32 has 4.
import numpy as np


def row_split_product(a, b, parts):
    strips = np.array_split(a, parts)
    blocks = [strip @ b for strip in strips]
    return blocks, [8 * (x.size + b.size + y.size) for x, y in zip(strips, blocks)]
