# Wrong: it takes the fewest leaves, and then the fewest spines; more leaves can need fewer switches in all.


def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports and gpus // 2 >= least_links:
        return (1, 0, 0)
    for leaves in range(2, gpus + 1):
        if gpus % leaves:
            continue
        down = gpus // leaves
        for spines in range(1, ports):
            for cables in range(1, ports // leaves + 1):
                up = spines * cables
                across = leaves // 2 * min(down, up) + leaves % 2 * (down // 2)
                if down + up <= ports and across >= least_links:
                    return (leaves, spines, cables)
