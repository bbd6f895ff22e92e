# %% a_name_of_its_own
# Wrong: a reason that nobody asked for.
def first_reasons(*, gpus, gpus_per_node, gpus_per_switch, heads, layers, sequences):
    counts = {"memory": -7}
    for t in range(1, gpus + 1):
        for p in range(1, gpus + 1):
            if gpus % (t * p):
                continue
            if gpus_per_node % t:
                reason = "node"
            elif heads % t:
                reason = "heads"
            elif layers % p:
                reason = "layers"
            elif sequences % (gpus // (t * p)):
                reason = "sequences"
            elif gpus_per_switch % (t * p):
                reason = "switch"
            else:
                reason = "left"
            counts[reason] = counts.get(reason, 0) + 1
    return counts


# %% with_zeros
# Right: all six names, those without a layout too.
def first_reasons(*, gpus, gpus_per_node, gpus_per_switch, heads, layers, sequences):
    counts = dict.fromkeys(("node", "heads", "layers", "sequences", "switch", "left"), 0)
    sizes = [size for size in range(1, gpus + 1) if gpus % size == 0]
    for t in sizes:
        for p in sizes:
            if gpus % (t * p) == 0:
                d = gpus // (t * p)
                fails = [gpus_per_node % t, heads % t, layers % p, sequences % d, gpus_per_switch % (t * p), 0]
                counts[next((name for name, rest in zip(counts, fails) if rest), "left")] += 1
    return counts
