# Wrong: calls its own generator as if it returned the sums.
# Message: TypeError
from snippets.simulation.machine import Exchange
from snippets.simulation.schedule import chunk_bounds


def phase(rank, ranks, own, first, adds):
    chunks = chunk_bounds(len(own), ranks)
    for step in range(ranks - 1):
        start, stop = chunks[(rank + first - step) % ranks]
        arrived = yield Exchange(to=(rank + 1) % ranks, numbers=own[start:stop], source=(rank - 1) % ranks)
        start, stop = chunks[(rank + first - 1 - step) % ranks]
        own[start:stop] = [a + adds * b for a, b in zip(arrived, own[start:stop])]
    return own


def ring_all_reduce(rank, ranks, numbers):
    own = phase(rank, ranks, list(numbers), -1, True)
    return (yield from phase(rank, ranks, own, 0, False))
