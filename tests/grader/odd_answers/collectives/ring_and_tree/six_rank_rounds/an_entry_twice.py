# Wrong: a message that carries the same entries twice, so that two terms seem to travel for the bytes of one.
# Message: step 1: rank 0 sends rank 1 an entry twice
def six_rank_rounds(*, length):
    return [[(0, 1, 0, length, True), (0, 1, 0, length, True)]]
