# Wrong: a message that carries the same entries twice, so that two terms seem to travel for the bytes of one.
# Message: twice
def six_rank_rounds(*, length):
    return [[(0, 1, 0, length, True), (0, 1, 0, length, True)]]
