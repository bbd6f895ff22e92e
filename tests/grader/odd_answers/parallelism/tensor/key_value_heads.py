# %% backwards
# Wrong: the right heads in the wrong order.
# Message: right on
def key_value_heads(*, heads, shared, ranks, rank):
    if heads % ranks:
        return None
    own, group = heads // ranks, heads // shared
    return sorted({head // group for head in range(rank * own, (rank + 1) * own)}, reverse=True)

# %% by_looking_at_each
# Right: looks at each query head; a set that is sorted, as a tuple.
def key_value_heads(*, heads, shared, ranks, rank):
    own, left = divmod(heads, ranks)
    if left:
        return None
    return tuple(sorted({head // (heads // shared) for head in range(rank * own, rank * own + own)}))

# %% copies_by_rank
# Wrong: deals copies out to the ranks in turn.
# Message: right on
def key_value_heads(*, heads, shared, ranks, rank):
    if heads % ranks:
        return None
    if ranks >= shared:
        return [rank % shared]
    return list(range(rank * shared // ranks, (rank + 1) * shared // ranks))

# %% from_a_set
# Wrong: the order of a set of numbers is chance.
# Message: [8, 6, 7]
def key_value_heads(*, heads, shared, ranks, rank):
    if heads % ranks:
        return None
    own, group = heads // ranks, heads // shared
    return list({head // group for head in range(rank * own, (rank + 1) * own)})

# %% in_floats
# Right: by floors of floats, which are exact for small numbers.
import math


def key_value_heads(*, heads, shared, ranks, rank):
    if heads % ranks:
        return None
    low = math.floor(rank * shared / ranks + 1e-9)
    high = math.ceil((rank + 1) * shared / ranks - 1e-9)
    return list(range(low, high))

# %% none_for_uneven_groups
# Wrong: gives up where a group lies on two ranks.
# Message: Only the query heads
def key_value_heads(*, heads, shared, ranks, rank):
    if heads % ranks or (shared % ranks and ranks % shared):
        return None
    own, group = heads // ranks, heads // shared
    return sorted({head // group for head in range(rank * own, (rank + 1) * own)})
