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

# %% the_next_alone
# Wrong: each block goes to the next worker alone; right for a size of 2.
# Known mistake: Each block goes one worker further and stops there; all the others of its line need it too.
def summa_messages(size):
    out = []
    for i in range(size):
        for j in range(size):
            if size > 1:
                out.append(((i, j), (i, (j + 1) % size), "A", (i, j)))
                out.append(((i, j), ((i + 1) % size, j), "B", (i, j)))
    return out

# %% to_itself
# Wrong: a worker sends A to itself, too.
# Known mistake: More is sent than needed: a worker also sends its block of A to itself.
def summa_messages(size):
    out = []
    for i in range(size):
        for j in range(size):
            for x in range(size):
                out.append(((i, j), (i, x), "A", (i, j)))
                if x != i:
                    out.append(((i, j), (x, j), "B", (i, j)))
    return out
