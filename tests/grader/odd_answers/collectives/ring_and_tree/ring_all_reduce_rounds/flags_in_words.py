# Wrong: a text for the flag.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    return [
        [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], "add" if s < ranks - 1 else "copy") for r in range(ranks)]
        for s in range(2 * (ranks - 1))
    ]
