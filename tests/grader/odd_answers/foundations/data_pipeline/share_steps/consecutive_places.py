# Right: each rank's places follow each other, and the steps are tuples.
def share_steps(order, *, position, batch, ranks):
    steps = []
    while position < len(order):
        chosen = order[position : position + batch]
        n = len(chosen)
        steps.append(tuple(tuple(chosen[n * r // ranks : n * (r + 1) // ranks]) for r in range(ranks)))
        position += n
    return steps
