# Wrong: from equal numbers of layers, moves a cut by one layer while that helps: it gets stuck.
# Known mistake: Moving one layer at a time stops where no single move helps, which need not be the best cut.
def cut_layers(layer_s, *, stages):
    def slowest(sizes):
        ends = [sum(sizes[:stage]) for stage in range(stages + 1)]
        return max(sum(layer_s[a:b]) for a, b in zip(ends, ends[1:]))

    sizes = [len(layer_s) // stages + (stage < len(layer_s) % stages) for stage in range(stages)]
    better = True
    while better:
        better = False
        for stage in range(stages - 1):
            for give, take in ((stage, stage + 1), (stage + 1, stage)):
                moved = list(sizes)
                moved[give], moved[take] = moved[give] - 1, moved[take] + 1
                if moved[give] and slowest(moved) < slowest(sizes):
                    sizes, better = moved, True
    return sizes
