# Wrong: the convention of most tutorials: rank r ends with chunk r + 1.
# Known mistake: Your sums are complete, but rank r ends with chunk r + 1, as in many tutorials; here it is to be chunk r.
from snippets.simulation.machine import Exchange
from snippets.simulation.schedule import chunk_bounds


def reduce_scatter(rank, ranks, numbers):
    parts = [numbers[start:stop] for start, stop in chunk_bounds(len(numbers), ranks)]
    for step in range(ranks - 1):
        sent = parts[(rank - step) % ranks]
        arrived = yield Exchange(to=(rank + 1) % ranks, numbers=sent, source=(rank - 1) % ranks)
        mine = (rank - step - 1) % ranks
        parts[mine] = [a + b for a, b in zip(parts[mine], arrived)]
    return parts[(rank + 1) % ranks]
