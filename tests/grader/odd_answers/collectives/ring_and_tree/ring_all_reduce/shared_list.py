# Wrong: the ranks meet in a table of the module, and send nothing but empty messages.
from snippets.simulation.machine import Exchange

EVERYBODY = {}


def ring_all_reduce(rank, ranks, numbers):
    EVERYBODY[rank] = list(numbers)
    for _ in range(ranks - 1):
        yield Exchange(to=(rank + 1) % ranks, numbers=[], source=(rank - 1) % ranks)
    return [sum(column) for column in zip(*(EVERYBODY[other] for other in range(ranks)))]
