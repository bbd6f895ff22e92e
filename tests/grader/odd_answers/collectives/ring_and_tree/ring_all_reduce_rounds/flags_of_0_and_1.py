# Right: 1 and 0 for True and False.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    return [
        [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], int(s < ranks - 1)) for r in range(ranks)]
        for s in range(2 * (ranks - 1))
    ]
