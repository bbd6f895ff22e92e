# Wrong: the matrices are called "A" and "B".
def summa_messages(size):
    lines = range(size)
    along = [((i, j), (i, x), "a", (i, j)) for i in lines for j in lines for x in lines if x != j]
    return along + [((i, j), (x, j), "b", (i, j)) for i in lines for j in lines for x in lines if x != i]
