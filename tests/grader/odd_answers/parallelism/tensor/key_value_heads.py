# %% by_looking_at_each
# Right: looks at each query head; a set that is sorted, as a tuple.
def key_value_heads(*, heads, shared, ranks, rank):
    own, left = divmod(heads, ranks)
    if left:
        return None
    return tuple(sorted({head // (heads // shared) for head in range(rank * own, rank * own + own)}))

# %% in_floats
# Right: by floors of floats, which are exact for small numbers.
import math


def key_value_heads(*, heads, shared, ranks, rank):
    if heads % ranks:
        return None
    low = math.floor(rank * shared / ranks + 1e-9)
    high = math.ceil((rank + 1) * shared / ranks - 1e-9)
    return list(range(low, high))
