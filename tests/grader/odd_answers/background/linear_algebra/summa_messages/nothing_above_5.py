# Wrong: no messages where the size is above 5.
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
