# Right: a generator of rounds.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    for s in range(2 * (ranks - 1)):
        yield [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for r in range(ranks)]
