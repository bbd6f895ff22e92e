# Right: NumPy's integers for rows and columns.
import numpy as np


def summa_messages(size):
    lines = np.arange(size)
    along = [((i, j), (i, x), "A", (i, j)) for i in lines for j in lines for x in lines if x != j]
    down = [((i, j), (x, j), "B", (i, j)) for i in lines for j in lines for x in lines if x != i]
    return along + down
