# Wrong: the leaves need not share the GPUs evenly.
# Message: leaves cannot share 32 GPUs evenly


def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports:
        return (1, 0, 0)
    best = None
    for leaves in range(2, gpus + 1):
        down = -(-gpus // leaves)
        for cables in range(1, ports + 1):
            for spines in range(1, ports + 1):
                up = spines * cables
                if down + up > ports or leaves * cables > ports:
                    continue
                across = leaves // 2 * min(down, up) + leaves % 2 * (down // 2)
                if across >= least_links and (best is None or leaves + spines < sum(best[:2])):
                    best = (leaves, spines, cables)
    return best
