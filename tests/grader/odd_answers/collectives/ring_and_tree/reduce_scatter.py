# %% numpy
# Right: arrays inside, and sent.
import numpy as np

from snippets.simulation.machine import Exchange


def reduce_scatter(rank, ranks, numbers):
    parts = [part.copy() for part in np.array_split(np.array(numbers), ranks)]
    for step in range(ranks - 1):
        sent = parts[(rank - 1 - step) % ranks]
        arrived = yield Exchange(to=(rank + 1) % ranks, numbers=sent, source=(rank - 1) % ranks)
        parts[(rank - 2 - step) % ranks] += np.array(arrived, dtype=sent.dtype)
    return parts[rank]

# %% round_the_other_way
# Right: to the left neighbour; and tuples.
from snippets.simulation.machine import Exchange
from snippets.simulation.schedule import chunk_bounds


def reduce_scatter(rank, ranks, numbers):
    parts = [tuple(numbers[start:stop]) for start, stop in chunk_bounds(len(numbers), ranks)]
    for step in range(ranks - 1):
        sent = parts[(rank + 1 + step) % ranks]
        arrived = yield Exchange(to=(rank - 1) % ranks, numbers=sent, source=(rank + 1) % ranks)
        mine = (rank + 2 + step) % ranks
        parts[mine] = tuple(a + b for a, b in zip(parts[mine], arrived))
    return parts[rank]
