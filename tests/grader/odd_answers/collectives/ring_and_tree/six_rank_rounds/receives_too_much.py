# Wrong: no rank sends more than 10/6 of a vector, but rank 1 receives 13/6 of it.
# Message: received by each rank: [104,

# start and stop in sixths of the vector, and messages (step, source, destination, adds)
WALKS = [
    (0, 2, [(0, 4, 1, True), (0, 5, 2, True), (1, 0, 1, True), (1, 2, 3, True), (2, 1, 3, True)]
     + [(3, 3, 5, False), (4, 3, 4, False), (4, 5, 0, False), (5, 4, 1, False), (5, 5, 2, False)]),
    (2, 3, [(0, 3, 0, True), (0, 4, 1, True), (0, 5, 2, True), (1, 1, 2, True), (2, 0, 2, True)]
     + [(3, 2, 4, False), (4, 2, 3, False), (4, 4, 5, False), (5, 3, 0, False), (5, 4, 1, False)]),
    (3, 4, [(0, 2, 5, True), (0, 3, 0, True), (0, 4, 1, True), (1, 0, 1, True), (2, 5, 1, True)]
     + [(3, 1, 3, False), (4, 1, 2, False), (5, 1, 4, False), (5, 2, 5, False), (5, 3, 0, False)]),
    (4, 6, [(0, 1, 4, True), (0, 2, 5, True), (1, 3, 4, True), (1, 5, 0, True), (2, 4, 0, True)]
     + [(3, 0, 2, False), (4, 0, 1, False), (5, 0, 3, False), (5, 1, 4, False), (5, 2, 5, False)]),
]


def six_rank_rounds(*, length):
    sixth = length // 6
    steps = [[] for _ in range(6)]
    for start, stop, messages in WALKS:
        for step, source, to, adds in messages:
            steps[step].append((source, to, start * sixth, stop * sixth, adds))
    return steps
