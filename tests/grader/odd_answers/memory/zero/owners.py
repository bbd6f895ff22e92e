# %% numpy
# Right: an array.
import numpy as np


def owners(sizes, ranks):
    owner, loads = np.zeros(len(sizes), int), np.zeros(ranks)
    for index in np.argsort(-np.array(sizes, dtype=int), kind="stable"):
        owner[index] = loads.argmin()
        loads[owner[index]] += sizes[index]
    return owner

# %% owners_that_are_yielded
# Right: a generator.
import heapq


def owners(sizes, ranks):
    loads, found = [(0, rank) for rank in range(ranks)], {}
    for index, size in sorted(enumerate(sizes), key=lambda pair: -pair[1]):
        load, found[index] = heapq.heappop(loads)
        heapq.heappush(loads, (load + size, found[index]))
    yield from (found[index] for index in range(len(sizes)))

# %% sorted_as_text
# Wrong: sorted as text, so that 7 is above 17. It passed once.
def owners(sizes, ranks):
    load = [0] * ranks
    out = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: str(sizes[i]), reverse=True):
        r = load.index(min(load))
        load[r] += sizes[i]
        out[i] = r
    return out
