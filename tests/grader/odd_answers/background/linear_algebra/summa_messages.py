# %% lists_for_tuples
# Right: lists for messages and places.
def summa_messages(size):
    messages = []
    for i in range(size):
        for j in range(size):
            for x in range(size):
                if x != j:
                    messages.append([[i, j], [i, x], "A", [i, j]])
                if x != i:
                    messages.append([[i, j], [x, j], "B", [i, j]])
    return messages

# %% nothing_above_5
# Wrong: no messages where the size is above 5. It passed once.
def summa_messages(size):
    out = []
    for i in range(size):
        for j in range(size):
            for x in range(size):
                if x != j:
                    out.append(((i, j), (i, x), "A", (i, j)))
                if x != i:
                    out.append(((i, j), (x, j), "B", (i, j)))
    return out if size < 6 else []

# %% numpy_places
# Right: NumPy's integers for rows and columns.
import numpy as np


def summa_messages(size):
    lines = np.arange(size)
    along = [((i, j), (i, x), "A", (i, j)) for i in lines for j in lines for x in lines if x != j]
    down = [((i, j), (x, j), "B", (i, j)) for i in lines for j in lines for x in lines if x != i]
    return along + down
