# Right: Bruck's partners, at distances 1, 2 and 4 round the ring; a message has two pieces where it wraps round.
def pieces(source, to, first, count, sixth, adds):
    chunks = [(first + k) % 6 for k in range(count)]
    return [(source, to, chunk * sixth, (chunk + 1) * sixth, adds) for chunk in chunks]


def six_rank_rounds(*, length):
    sixth = length // 6
    gather = []
    for distance in (1, 2, 4):
        count = min(distance, 6 - distance)
        gather.append([(rank, (rank - distance) % 6, rank, count) for rank in range(6)])
    steps = [[m for a, b, first, count in step for m in pieces(b, a, first, count, sixth, True)] for step in gather[::-1]]
    return steps + [[m for a, b, first, count in step for m in pieces(a, b, first, count, sixth, False)] for step in gather]
