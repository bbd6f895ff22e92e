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
