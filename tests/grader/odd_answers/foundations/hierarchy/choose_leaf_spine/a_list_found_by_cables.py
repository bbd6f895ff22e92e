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
