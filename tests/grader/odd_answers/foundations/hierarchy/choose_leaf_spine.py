# %% a_list_found_by_cables
# Right: the loops run the other way round, the result is a list, and of equal designs it takes another one.


def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports and gpus // 2 >= least_links:
        return [1, 0, 0]
    best = None
    for spines in range(1, ports + 1):
        for cables in range(ports // spines, 0, -1):
            for leaves in range(ports // cables, 1, -1):
                down, up = gpus / leaves, spines * cables
                if gpus % leaves or down + up > ports:
                    continue
                across = (leaves // 2) * min(down, up) + (leaves % 2) * down / 2
                if across >= least_links and (best is None or leaves + spines < best[0] + best[1]):
                    best = [leaves, spines, cables]
    return best

# %% as_many_cables_as_fit
# Wrong: it always takes as many cables to a spine as the ports allow. It passed once.


def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports:
        return (1, 0, 0)
    best = None
    for leaves in range(2, gpus + 1):
        if gpus % leaves:
            continue
        down = gpus // leaves
        for cables in [min(ports // leaves, ports - down)] if down < ports else []:
            for spines in range(1, ports + 1):
                up = spines * cables
                if down + up > ports or leaves * cables > ports:
                    continue
                across = leaves // 2 * min(down, up) + leaves % 2 * (down // 2)
                if across >= least_links and (best is None or leaves + spines < sum(best[:2])):
                    best = (leaves, spines, cables)
    return best

# %% sixteen_leaves_at_most
# Wrong: it tries up to 16 leaves. It passed once.


def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports:
        return (1, 0, 0)
    best = None
    for leaves in range(2, 17):
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

# %% another_design
# Right: of several networks with the fewest switches the last one found.
def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports:
        return 1, 0, 0
    best = None
    for leaves in range(ports, 1, -1):
        down = gpus // leaves
        if gpus % leaves or down >= ports:
            continue
        for spines in range(1, ports + 1):
            for cables in range(1, ports + 1):
                up = spines * cables
                if down + up > ports or leaves * cables > ports:
                    continue
                across = leaves // 2 * min(down, up) + leaves % 2 * (down // 2)
                if across >= least_links and (best is None or leaves + spines <= sum(best[:2])):
                    best = leaves, spines, cables
    return best or (1, 0, 0)
