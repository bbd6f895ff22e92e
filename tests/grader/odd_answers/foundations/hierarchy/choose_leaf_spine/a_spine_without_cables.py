# Wrong: the single switch has a spine, but no cable to it.
# Message: spines = 1 and cables = 0


def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports:
        return (1, 1, 0)
    best = None
    for leaves in range(2, gpus + 1):
        if gpus % leaves:
            continue
        down = gpus // leaves
        for cables in range(1, ports + 1):
            for spines in range(1, ports + 1):
                up = spines * cables
                if down + up > ports or leaves * cables > ports:
                    continue
                across = leaves // 2 * min(down, up) + leaves % 2 * (down // 2)
                if across >= least_links and (best is None or leaves + spines < sum(best[:2])):
                    best = (leaves, spines, cables)
    return best
