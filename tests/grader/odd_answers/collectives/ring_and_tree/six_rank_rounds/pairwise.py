# Wrong: the same straight messages, one partner after the other: the bytes are right, and the steps are ten.
# Message: 10
def six_rank_rounds(*, length):
    sixth = length // 6

    def step(hop, adds):
        owner = (lambda a, b: b) if adds else (lambda a, b: a)
        ends = [(a, (a + hop) % 6) for a in range(6)]
        return [(a, b, owner(a, b) * sixth, (owner(a, b) + 1) * sixth, adds) for a, b in ends]

    return [step(hop, True) for hop in range(1, 6)] + [step(hop, False) for hop in range(1, 6)]
