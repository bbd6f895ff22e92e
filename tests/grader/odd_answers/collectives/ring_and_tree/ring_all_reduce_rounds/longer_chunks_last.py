# Wrong: the first chunks are the longer ones.
def ring_all_reduce_rounds(ranks, length):
    ends = [chunk * length // ranks for chunk in range(ranks + 1)]
    chunks = list(zip(ends, ends[1:]))
    return [
        [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for r in range(ranks)]
        for s in range(2 * (ranks - 1))
    ]
