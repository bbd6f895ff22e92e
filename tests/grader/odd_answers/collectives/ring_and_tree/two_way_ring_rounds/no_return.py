# Wrong: appends to a list that is never returned.
# Message: nothing is returned: does every way through end in a `return`?
from snippets.simulation.schedule import chunk_bounds


def two_way_ring_rounds(ranks, length):
    chunks = chunk_bounds(length // 2, ranks)
    rounds = []
    for s in range(2 * (ranks - 1)):
        rounds.append([(r, (r + 1) % ranks, *chunks[(r - s) % ranks], True) for r in range(ranks)])
