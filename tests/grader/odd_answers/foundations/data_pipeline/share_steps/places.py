# Wrong: places in the order instead of its examples.
# Known mistake: These are places in the order, counted from 0. Asked for are the examples that stand there.
def share_steps(order, *, position, batch, ranks):
    return [
        [list(range(first, min(first + batch, len(order))))[r::ranks] for r in range(ranks)]
        for first in range(position, len(order), batch)
    ]
