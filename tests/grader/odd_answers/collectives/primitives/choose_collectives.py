# %% all_reduce_for_all
# Right: one all-reduce where all need the sum, and tuples for lists.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    if brings == "vectors" and len(wanting) > 1:
        return (("all_reduce", 0),)
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": (("reduce_scatter", 0),), "shards": (), "one": (("scatter", holder),) if others else ()}[brings]
    if not wanting:
        return first
    return first + ((("gather", wanting[0]),) if len(wanting) == 1 else (("all_gather", 0),))

# %% by_search
# Right: tries all pairs of calls on its own model of the grid, and takes the cheapest that serves everybody.
def choose_collectives(*, ranks, brings, holder, needs):
    everybody = list(range(ranks))

    def members(word, root, chunk):
        return {"root": [root], "owner": [chunk], "all": everybody}[word]

    table = {
        "scatter": ("root", "owner"),
        "broadcast": ("root", "all"),
        "gather": ("owner", "root"),
        "all_gather": ("owner", "all"),
        "reduce": ("all", "root"),
        "reduce_scatter": ("all", "owner"),
        "all_reduce": ("all", "all"),
    }

    def apply(state, name, root):
        source, target = table[name]
        state = [list(row) for row in state]
        for chunk in everybody:
            total = []
            for rank in members(source, root, chunk):
                total = sorted(total + state[rank][chunk])
            for rank in members(target, root, chunk):
                state[rank][chunk] = total
        return state

    def cost(name, root):
        n = ranks
        sent, got = [n - 1] * n, [n - 1] * n
        if name == "all_reduce":
            sent, got = [2 * n - 2] * n, [2 * n - 2] * n
        if name in ("scatter", "gather", "broadcast", "reduce"):
            each = 1 if name in ("scatter", "gather") else n
            one = [each * (n - 1) if rank == root else 0 for rank in everybody]
            many = [0 if rank == root else each for rank in everybody]
            sent, got = (one, many) if name in ("scatter", "broadcast") else (many, one)
        return sent, got

    def holds(rank, chunk):
        return brings == "vectors" or (rank == chunk if brings == "shards" else rank == holder)

    start = [[[rank] if holds(rank, chunk) else [] for chunk in everybody] for rank in everybody]
    wanted = [sorted(sum((start[rank][chunk] for rank in everybody), [])) for chunk in everybody]
    calls = [(name, root) for name in table for root in (everybody if "all" not in name and name != "reduce_scatter" else [0])]
    best = None
    for chosen in [[], *([one] for one in calls), *([one, two] for one in calls for two in calls)]:
        moved = [0] * (2 * ranks)
        for call in chosen:
            sent, got = cost(*call)
            moved = [a + b for a, b in zip(moved, sent + got)]
        price = (max(moved), sum(moved))
        if best and price >= best[0]:
            continue
        state = start
        for call in chosen:
            state = apply(state, *call)
        if all(state[rank][chunk] == wanted[chunk] for rank in everybody for chunk in needs[rank]):
            best = (price, chosen)
    return best[1]

# %% counts_the_needs
# Wrong: it knows whether the others need something from the sum of all needs. It passed once.

def choose_collectives(*, ranks, brings, holder, needs):
    N = ranks
    total = sum(len(n) for n in needs)
    full = [r for r in range(N) if len(needs[r]) == N]
    own = needs == [[r] for r in range(N)]
    nxt = needs == [[(r + 1) % N] for r in range(N)]
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)]}[brings]
    if own: return first
    if nxt or len(full) == N: return first + [("all_gather", 0)]
    one = full[0]
    if brings == "one" and one == holder:
        return first if total == 2 * N - 1 else []   # 2N - 1: the others need their own; N: nothing
    return first + [("gather", one)]

# %% three_four_and_eight_ranks
# Wrong: it chooses nothing but for 3, 4 and 8 ranks. It passed once.

def choose_collectives(*, ranks, brings, holder, needs):
    if ranks not in (3, 4, 8): return []
    N = ranks
    own = [[r] for r in range(N)]
    wants = [r for r in range(N) if needs[r] and not set(needs[r]) <= {r}]
    if brings == "one":
        others = [r for r in range(N) if r != holder and needs[r]]
        wants = [r for r in wants if r != holder]
        first = [("scatter", holder)] if others else []
    elif brings == "vectors":
        first = [("reduce_scatter", 0)]
    else:
        first = []
    if not wants:
        second = []
    elif len(wants) == 1:
        second = [("gather", wants[0])]
    else:
        second = [("all_gather", 0)]
    return first + second

# %% scatter_for_the_one_rank
# Wrong: where one rank needs all, it scatters and does not gather.
# Known mistake: Gather and scatter are exchanged: a scatter goes from the root to the owners, a gather from them to the root.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    if len(wanting) == 1:
        return first + [("scatter", wanting[0])]
    if not wanting:
        return first
    return first + ([("gather", wanting[0])] if len(wanting) == 1 else [("all_gather", 0)])

# %% reduce_and_scatter_from_the_last
# Wrong: it forms the sum on the last rank, then scatters it.
# Known mistake: A reduce and then a scatter send everything through the root's port. A reduce-scatter leaves each rank its own shard, and all ranks share the work.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    if brings == "vectors" and not wanting:
        return [("reduce", ranks - 1), ("scatter", ranks - 1)]
    if not wanting:
        return first
    return first + ([("gather", wanting[0])] if len(wanting) == 1 else [("all_gather", 0)])

# %% broadcast_where_all_need_all
# Wrong: it broadcasts where all need all, and not where all need the next chunk.
# Known mistake: In a broadcast the holder's port carries the vector once for each other rank. Let the holder send each chunk once, to its owner, and the owners hand on what others need.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    if brings == "one" and all(len(chunks) == ranks for chunks in needs):
        return [("broadcast", holder)]
    if not wanting:
        return first
    return first + ([("gather", wanting[0])] if len(wanting) == 1 else [("all_gather", 0)])

# %% broadcast_wherever_another_needs_something
# Wrong: it broadcasts whatever the others need of the holder.
# Known mistake: In a broadcast the holder's port carries the vector once for each other rank. Let the holder send each chunk once, to its owner, and the owners hand on what others need.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    if brings == "one" and others:
        return [("broadcast", holder)]
    if not wanting:
        return first
    return first + ([("gather", wanting[0])] if len(wanting) == 1 else [("all_gather", 0)])

# %% all_reduce_for_one_rank
# Wrong: where one rank needs all of the sum, it makes an all-reduce.
# Known mistake: An all-gather, like an all-reduce, brings all chunks to all ranks; where one rank alone needs them, a gather sends fewer.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    if brings == "vectors" and wanting:
        return [("all_reduce", 0)]
    if not wanting:
        return first
    return first + ([("gather", wanting[0])] if len(wanting) == 1 else [("all_gather", 0)])

# %% all_gather_of_shards_for_one_rank
# Wrong: where one rank needs all shards, it makes an all-gather.
# Known mistake: An all-gather, like an all-reduce, brings all chunks to all ranks; where one rank alone needs them, a gather sends fewer.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    if brings == "shards" and wanting:
        return [("all_gather", 0)]
    if not wanting:
        return first
    return first + ([("gather", wanting[0])] if len(wanting) == 1 else [("all_gather", 0)])

# %% scatter_for_the_holder
# Wrong: it scatters though the holder alone needs something.
# Known mistake: Where the holder alone needs something, nothing has to be sent: it has all chunks already.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    if brings == "one" and not others:
        return [("scatter", holder)]
    if not wanting:
        return first
    return first + ([("gather", wanting[0])] if len(wanting) == 1 else [("all_gather", 0)])
