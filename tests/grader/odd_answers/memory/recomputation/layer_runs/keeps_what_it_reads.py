# Wrong: starts from the layer's own output where that is kept, and runs the layer alone.
def layer_runs(*, layers, kept_inputs):
    runs = [0] * layers
    for i in range(layers, 0, -1):
        start = 0 if i == layers else max(k for k in kept_inputs if k <= i)
        for j in range(min(start, i - 1), i):
            runs[j] += 1
    return runs
