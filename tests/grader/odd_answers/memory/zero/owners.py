# %% better_of_two_orders
# Wrong: does not sort; deals in the given order and in the reverse, and takes the better: [7, 4, 4, 7] on 2 ranks.
# Known mistake: Both orders can be bad, whatever the sizes: sorted, the largest first, the bound holds.
def owners(sizes, ranks):
    def dealt(order):
        loads, owner = [0] * ranks, [0] * len(sizes)
        for index in order:
            owner[index] = loads.index(min(loads))
            loads[owner[index]] += sizes[index]
        return max(loads), owner

    forward = list(range(len(sizes)))
    return min(dealt(forward), dealt(forward[::-1]))[1]

# %% no_return
# Wrong: the list is filled and not returned.
# Message: nothing is returned: does every way through end in a `return`?
def owners(sizes, ranks):
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]

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

# %% sorted_and_dealt_in_turn
# Wrong: the largest first, and dealt in turn.
# Known mistake: The rank with the largest matrix also gets the largest of every other round, on top of it: so it is where matrices are dealt in turn by size, and also where the smallest come first. Take the largest first, each to the rank whose load is least.
def owners(sizes, ranks):
    out = [0] * len(sizes)
    for n, i in enumerate(sorted(range(len(sizes)), key=lambda i: -sizes[i])):
        out[i] = n % ranks
    return out

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

# %% sorts_the_sizes
# Wrong: sorts the list that it was given.
# Message: sizes is changed: work on a copy
def owners(sizes, ranks):
    sizes.sort(reverse=True)
    loads, owner = [0] * ranks, []
    for size in sizes:
        owner.append(loads.index(min(loads)))
        loads[owner[-1]] += size
    return owner

# %% there_and_back
# Wrong: sorted, and dealt 0, 1, 2, 2, 1, 0: the loads are not looked at.
# Known mistake: Dealt there and back, the loads are not looked at: give each matrix to the rank that has least so far.
def owners(sizes, ranks):
    owner = [0] * len(sizes)
    turn = [*range(ranks), *reversed(range(ranks))]
    for place, index in enumerate(sorted(range(len(sizes)), key=lambda i: -sizes[i])):
        owner[index] = turn[place % len(turn)]
    return owner
