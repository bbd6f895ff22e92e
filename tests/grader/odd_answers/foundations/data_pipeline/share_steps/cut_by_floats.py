# Wrong: the bounds are floats, which lose an example where ranks do not divide a share evenly.
def share_steps(order, *, position, batch, ranks):
    steps = []
    for first in range(position, len(order), batch):
        chosen = list(order[first : first + batch])
        part = len(chosen) / ranks
        steps.append([chosen[int(r * part) : int((r + 1) * part)] for r in range(ranks)])
    return steps
