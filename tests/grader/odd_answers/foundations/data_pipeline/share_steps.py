# %% at_multiples_of_the_batch
# Wrong: the first step ends at a multiple of the batch.
# Known mistake: The steps begin at multiples of the batch. The first one begins at the position, and is a full one.
def share_steps(order, *, position, batch, ranks):
    steps = []
    while position < len(order):
        end = (position // batch + 1) * batch
        steps.append([list(order[position:end])[r::ranks] for r in range(ranks)])
        position = end
    return steps

# %% consecutive_places
# Right: each rank's places follow each other, and the steps are tuples.
def share_steps(order, *, position, batch, ranks):
    steps = []
    while position < len(order):
        chosen = order[position : position + batch]
        n = len(chosen)
        steps.append(tuple(tuple(chosen[n * r // ranks : n * (r + 1) // ranks]) for r in range(ranks)))
        position += n
    return steps

# %% cut_by_floats
# Wrong: the bounds are floats, which lose an example where ranks do not divide a share evenly. It passed once.
def share_steps(order, *, position, batch, ranks):
    steps = []
    for first in range(position, len(order), batch):
        chosen = list(order[first : first + batch])
        part = len(chosen) / ranks
        steps.append([chosen[int(r * part) : int((r + 1) * part)] for r in range(ranks)])
    return steps

# %% eight_ranks_at_most
# Wrong: beyond eight ranks the others get nothing.
# Message: in step 0 the ranks get
def share_steps(order, *, position, batch, ranks):
    some = min(ranks, 8)
    return [
        [list(order[first : first + batch])[r::some] if r < some else [] for r in range(ranks)]
        for first in range(position, len(order), batch)
    ]

# %% places
# Wrong: places in the order instead of its examples.
# Known mistake: These are places in the order, counted from 0. Asked for are the examples that stand there.
def share_steps(order, *, position, batch, ranks):
    return [
        [list(range(first, min(first + batch, len(order))))[r::ranks] for r in range(ranks)]
        for first in range(position, len(order), batch)
    ]

# %% rounded_up
# Wrong: shares of the ceiling, so that the last ranks run short.
# Known mistake: With ⌈examples / ranks⌉ for each rank in turn, the last ranks run short: 6 examples on 4 ranks go out as 2, 2, 2 and 0.
def share_steps(order, *, position, batch, ranks):
    steps = []
    for first in range(position, len(order), batch):
        chosen = list(order[first : first + batch])
        size = -(-len(chosen) // ranks)
        steps.append([chosen[r * size : (r + 1) * size] for r in range(ranks)])
    return steps
