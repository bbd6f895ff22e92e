# Wrong: the right parts, from the last to the first.
# Message: another order
import numpy as np


def k_split_product(a, b, parts):
    products = [x @ y for x, y in zip(np.array_split(a, parts, axis=1), np.array_split(b, parts))]
    return products[::-1]
