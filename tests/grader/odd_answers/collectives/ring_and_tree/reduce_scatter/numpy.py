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
