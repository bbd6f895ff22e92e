# Wrong: the parts are computed and not returned.
# Message: nothing is returned: does every way through end in a `return`?
import numpy as np


def k_split_product(a, b, parts):
    products = []
    for columns, rows in zip(np.array_split(a, parts, axis=1), np.array_split(b, parts)):
        products.append(columns @ rows)
