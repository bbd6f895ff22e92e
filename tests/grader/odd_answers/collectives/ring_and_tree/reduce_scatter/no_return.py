# Wrong: the program ends without a result.
# Message: nothing is returned: does every way through end in a `return`?
from snippets.simulation.machine import Exchange
from snippets.simulation.schedule import chunk_bounds


def reduce_scatter(rank, ranks, numbers):
    parts = [numbers[start:stop] for start, stop in chunk_bounds(len(numbers), ranks)]
    for step in range(ranks - 1):
        sent = parts[(rank - 1 - step) % ranks]
        arrived = yield Exchange(to=(rank + 1) % ranks, numbers=sent, source=(rank - 1) % ranks)
        mine = (rank - 2 - step) % ranks
        parts[mine] = [a + b for a, b in zip(parts[mine], arrived)]
