# Wrong: every rank sends its chunks straight to all owners in one step, which takes five cards.
# Message: sends to 5 others
def six_rank_rounds(*, length):
    sixth = length // 6
    there = [(a, b, b * sixth, b * sixth + sixth, True) for a in range(6) for b in range(6) if a != b]
    back = [(a, b, a * sixth, a * sixth + sixth, False) for a in range(6) for b in range(6) if a != b]
    return [there, back]
