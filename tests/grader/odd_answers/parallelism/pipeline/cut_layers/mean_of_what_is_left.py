# Wrong: fills each stage up to the mean of what is left, and takes one layer more if that is nearer.
# Known mistake: The mean of what is left is no pace that all stages can keep; ask for the least pace at which the layers fit.
def cut_layers(layer_s, *, stages):
    sizes, start = [], 0
    for left in range(stages, 1, -1):
        mean, stop = sum(layer_s[start:]) / left, start + 1
        while len(layer_s) - stop >= left and sum(layer_s[start : stop + 1]) - mean <= mean - sum(layer_s[start:stop]):
            stop += 1
        sizes.append(stop - start)
        start = stop
    return [*sizes, len(layer_s) - start]
