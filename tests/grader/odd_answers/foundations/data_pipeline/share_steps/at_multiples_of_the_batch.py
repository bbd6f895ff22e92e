# Wrong: the first step ends at a multiple of the batch.
# Known mistake: The steps begin at multiples of the batch. The first one begins at the position, and is a full one.
def share_steps(order, *, position, batch, ranks):
    steps = []
    while position < len(order):
        end = (position // batch + 1) * batch
        steps.append([list(order[position:end])[r::ranks] for r in range(ranks)])
        position = end
    return steps
