# Wrong: shares of the ceiling, so that the last ranks run short.
# Known mistake: With ⌈examples / ranks⌉ for each rank in turn, the last ranks run short: 6 examples on 4 ranks go out as 2, 2, 2 and 0.
def share_steps(order, *, position, batch, ranks):
    steps = []
    for first in range(position, len(order), batch):
        chosen = list(order[first : first + batch])
        size = -(-len(chosen) // ranks)
        steps.append([chosen[r * size : (r + 1) * size] for r in range(ranks)])
    return steps
