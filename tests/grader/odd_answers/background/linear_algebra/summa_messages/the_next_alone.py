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
