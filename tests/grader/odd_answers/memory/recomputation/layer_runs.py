# %% as_tuple
# Right: closed form, and a tuple.
def layer_runs(*, layers, kept_inputs):
    kept = sorted(set(kept_inputs)) + [layers]
    runs = []
    for layer in range(1, layers + 1):
        end = min(i for i in kept if i >= layer)
        runs.append(end - layer + 1 + (end != layers))
    return tuple(runs)
