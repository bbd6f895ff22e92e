# Wrong: builds the steps and forgets to return them.
# Message: return
def six_rank_rounds(*, length):
    steps = [[(rank, (rank + 3) % 6, 0, length, True) for rank in range(6)]]
    steps.append([])
