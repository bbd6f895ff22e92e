# Right: every second entry goes one way round, every N-th of them is a chunk; each entry is a message.

def two_way_ring_rounds(*, ranks, length):
    def parts(p, c):
        return list(range(p, length, 2))[c::ranks]
    return [[(r, (r + d) % ranks, e, e + 1, s < ranks - 1) for d, p in ((1, 0), (-1, 1)) for r in range(ranks) for e in parts(p, (d * r - s) % ranks)] for s in range(2 * (ranks - 1))]
