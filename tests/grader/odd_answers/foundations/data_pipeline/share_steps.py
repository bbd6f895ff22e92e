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
