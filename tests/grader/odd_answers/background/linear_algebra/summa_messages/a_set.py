# Wrong: messages are sent in an order, and a set has none.
def summa_messages(size):
    lines = range(size)
    along = {((i, j), (i, x), "A", (i, j)) for i in lines for j in lines for x in lines if x != j}
    return along | {((i, j), (x, j), "B", (i, j)) for i in lines for j in lines for x in lines if x != i}
