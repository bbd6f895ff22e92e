# Wrong: honest on two and three ranks; from four on the ranks meet in a table, and their messages are for show.
from snippets.simulation.schedule import chunk_bounds
from snippets.simulation.machine import Exchange

EVERYBODY = {}


def ring_all_reduce(rank, ranks, numbers):
    own = list(numbers)
    EVERYBODY[rank] = list(numbers)
    chunks = chunk_bounds(len(own), ranks)
    for step in range(2 * (ranks - 1)):
        start, stop = chunks[(rank - 1 - step) % ranks]
        arrived = yield Exchange(to=(rank + 1) % ranks, numbers=own[start:stop], source=(rank - 1) % ranks)
        start, stop = chunks[(rank - 2 - step) % ranks]
        if ranks < 4:
            if step < ranks - 1:
                arrived = [mine + other for mine, other in zip(own[start:stop], arrived)]
            own[start:stop] = arrived
    if ranks < 4:
        return own
    sums = [sum(column) for column in zip(*(EVERYBODY[other] for other in range(ranks)))]
    return sums
