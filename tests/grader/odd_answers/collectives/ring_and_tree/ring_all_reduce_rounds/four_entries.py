# Wrong: messages without a flag.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    return [[(r, (r + 1) % ranks, *chunks[(r - s) % ranks]) for r in range(ranks)] for s in range(2 * (ranks - 1))]
