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
