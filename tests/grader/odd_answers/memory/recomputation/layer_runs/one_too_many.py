# Wrong: counts the first run apart in the last segment too.
def layer_runs(*, layers, kept_inputs):
    kept = sorted(set(kept_inputs)) + [layers]
    return [min(i for i in kept if i >= layer) - layer + 2 for layer in range(1, layers + 1)]
