# Wrong: the whole vector's sums go one way round, and the results come back the other way.
# Known mistake: Your reduce-scatter goes one way round and your all-gather the other: in no step are both directions of a link in use. Give each way half of the entries, in both phases.

def two_way_ring_rounds(*, ranks, length):
    q, m = divmod(length, ranks); bs, a = [], 0
    for i in range(ranks):
        b = a + q + (i < m); bs.append((a, b)); a = b
    out = [[(r, (r + 1) % ranks, *bs[(r - 1 - s) % ranks], True) for r in range(ranks)] for s in range(ranks - 1)]
    return out + [[(r, (r - 1) % ranks, *bs[(r + s) % ranks], False) for r in range(ranks)] for s in range(ranks - 1)]
