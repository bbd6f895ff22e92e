# %% search
# Right: one number of ranks after the other.
def most_sparse_ranks(*, elements, kept, value_bytes, place_bytes, dense_bytes):
    ranks = 1
    while (ranks + 1) * kept * (value_bytes + place_bytes) < 2 * elements * dense_bytes:
        ranks += 1
    return ranks if ranks > 1 else 0


# %% rounded_down
# Wrong: the quotient is cut, which keeps the ranks at which both are equal.
# Known mistake: You counted the ranks at which both move equally many bytes. Sparse has to move fewer.
def most_sparse_ranks(*, elements, kept, value_bytes, place_bytes, dense_bytes):
    ranks = int(2 * elements * dense_bytes / (kept * (value_bytes + place_bytes)))
    return ranks if ranks > 1 else 0


# %% ceiling_less_one_always
# Wrong: right for all but the runs in which no number of ranks will do.
import math


def most_sparse_ranks(*, elements, kept, value_bytes, place_bytes, dense_bytes):
    return math.ceil(2 * elements * dense_bytes / (kept * (value_bytes + place_bytes))) - 1


# %% first_at_which_it_loses
# Wrong: the first number of ranks at which the ring is as good.
import math


def most_sparse_ranks(*, elements, kept, value_bytes, place_bytes, dense_bytes):
    return math.ceil(2 * elements * dense_bytes / (kept * (value_bytes + place_bytes)))


# %% gather_of_all
# Wrong: a rank's own elements are counted among what it receives, so that fewer ranks do.
def most_sparse_ranks(*, elements, kept, value_bytes, place_bytes, dense_bytes):
    best = 0
    for ranks in range(2, 10**5):
        if ranks * ranks * kept * (value_bytes + place_bytes) >= 2 * (ranks - 1) * elements * dense_bytes:
            break
        best = ranks
    return best


# %% a_ring_of_all_elements_twice
# Wrong: the ring's (R - 1)/R is forgotten.
# Known mistake: One rank too many: you returned the first at which sparse moves no less, or let a ring move all elements twice. It moves (R - 1)/R of them, twice.
def most_sparse_ranks(*, elements, kept, value_bytes, place_bytes, dense_bytes):
    best, ranks = 0, 2
    while kept * (value_bytes + place_bytes) * (ranks - 1) < 2 * elements * dense_bytes:
        best, ranks = ranks, ranks + 1
    return best


# %% at_most_a_thousand
# Wrong: no more than a thousand ranks.
def most_sparse_ranks(*, elements, kept, value_bytes, place_bytes, dense_bytes):
    ranks = (2 * elements * dense_bytes - 1) // (kept * (value_bytes + place_bytes))
    return min(1000, ranks) if ranks > 1 else 0
