# Wrong: twice the bytes that are needed.
def summa_messages(size):
    lines = range(size)
    along = [((i, j), (i, x), "A", (i, j)) for i in lines for j in lines for x in lines if x != j]
    down = [((i, j), (x, j), "B", (i, j)) for i in lines for j in lines for x in lines if x != i]
    return 2 * (along + down)
