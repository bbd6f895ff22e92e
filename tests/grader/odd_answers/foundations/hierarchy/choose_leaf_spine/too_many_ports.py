# Wrong: the spines have more cables than ports.
# Message: ports of a spine


def choose_leaf_spine(*, gpus, ports, least_links):
    if gpus <= ports and gpus // 2 >= least_links:
        return (1, 0, 0)
    leaves = next(number for number in range(2, gpus + 1) if gpus % number == 0 and gpus // number < ports)
    return (leaves, 1, ports - gpus // leaves)
