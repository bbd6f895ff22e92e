# Wrong: ranks that get no example have no list in a short step.
def share_steps(order, *, position, batch, ranks):
    return [
        [list(order[first + rank : min(first + batch, len(order)) : ranks]) for rank in range(min(ranks, len(order) - first))]
        for first in range(position, len(order), batch)
    ]
