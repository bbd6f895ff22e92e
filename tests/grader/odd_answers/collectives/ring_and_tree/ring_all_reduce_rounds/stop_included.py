# Wrong: `stop` is to be excluded.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = [(start, stop - 1) for start, stop in chunk_bounds(length, ranks)]
    return [
        [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for r in range(ranks)]
        for s in range(2 * (ranks - 1))
    ]
