# Wrong: beyond eight ranks the others get nothing.
# Message: in step 0 the ranks get
def share_steps(order, *, position, batch, ranks):
    some = min(ranks, 8)
    return [
        [list(order[first : first + batch])[r::some] if r < some else [] for r in range(ranks)]
        for first in range(position, len(order), batch)
    ]
