# %% sorted_neighbours
# Right: compares neighbours of the sorted fingerprints, and returns tuples.
def audit_shards(tensors):
    twins = [
        i
        for i, (cut, random, prints) in enumerate(tensors)
        if cut and random and any(a == b for a, b in zip(sorted(prints), sorted(prints)[1:]))
    ]
    drifted = [i for i, (cut, _, prints) in enumerate(tensors) if not cut and min(prints) != max(prints)]
    return tuple(twins), tuple(drifted)


# %% neighbouring_ranks
# Wrong: compares each rank with the next one only.
def audit_shards(tensors):
    twins, drifted = [], []
    for i, (cut, random, prints) in enumerate(tensors):
        pairs = list(zip(prints, prints[1:]))
        if cut and random and any(a == b for a, b in pairs):
            twins.append(i)
        if not cut and any(a != b for a, b in pairs):
            drifted.append(i)
    return twins, drifted


# %% against_rank_0
# Wrong: compares each rank with rank 0 only.
def audit_shards(tensors):
    twins = [i for i, (cut, random, prints) in enumerate(tensors) if cut and random and prints[0] in prints[1:]]
    drifted = [i for i, (cut, random, prints) in enumerate(tensors) if not cut and set(prints) != {prints[0]}]
    return twins, drifted


# %% one_pair_or_all
# Wrong: flags a tensor only if all ranks agree or one pair does.
def audit_shards(tensors):
    twins = [i for i, (cut, random, p) in enumerate(tensors) if cut and random and len(set(p)) in (1, len(p) - 1)]
    return twins, [i for i, (cut, _, p) in enumerate(tensors) if not cut and len(set(p)) > 1]


# %% zero_is_missing
# Wrong: takes the fingerprint 0 for none.
def audit_shards(tensors):
    twins = [i for i, (cut, random, p) in enumerate(tensors) if cut and random and len(set(p)) < len(p)]
    return twins, [i for i, (cut, _, p) in enumerate(tensors) if not cut and len(set(filter(None, p))) > 1]
