# Wrong: the messages of all rounds in one list.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    steps = range(2 * (ranks - 1))
    return [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for s in steps for r in range(ranks)]
