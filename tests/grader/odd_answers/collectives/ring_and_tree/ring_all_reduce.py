# %% round_the_other_way
# Right: to the left neighbour all the way.
from snippets.simulation.machine import Exchange
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce(rank, ranks, numbers):
    own = list(numbers)
    chunks = chunk_bounds(len(own), ranks)
    for step in range(2 * (ranks - 1)):
        start, stop = chunks[(rank + step) % ranks]
        arrived = yield Exchange(to=(rank - 1) % ranks, numbers=own[start:stop], source=(rank + 1) % ranks)
        start, stop = chunks[(rank + step + 1) % ranks]
        old = own[start:stop] if step < ranks - 1 else [0] * (stop - start)
        own[start:stop] = [a + b for a, b in zip(old, arrived)]
    return own
