# %% a_root_that_is_none
# Wrong: gives the all-gather a root, and sends to a rank that does not exist.
# Message: root
def choose_collectives(*, ranks, brings, holder, needs):
    return [("gather", ranks)]

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

# %% an_all_to_all
# Wrong: an all-to-all, which is not among the calls.
# Message: all_to_all
def choose_collectives(*, ranks, brings, holder, needs):
    return [("all_to_all", 0)]

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

# %% everything_everywhere
# Wrong: whoever needs something that is not its own, everybody is given everything.
# Known mistake: An all-gather brings all chunks to all ranks; where one rank alone needs them, a gather sends fewer.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    return first + ([("all_gather", 0)] if wanting else [])

# %% no_root_is_none
# Wrong: without a root it has None.
# Message: (the text 'reduce_scatter', None) in it

def choose_collectives(*, ranks, brings, holder, needs):
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

_f = choose_collectives
def choose_collectives(**k):
    return [(p, r if p in ("scatter", "gather") else None) for p, r in _f(**k)]

# %% sums_twice
# Wrong: all-reduces what a reduce-scatter has left, so that the owner's part counts twice.
# Message: lack a chunk
def choose_collectives(*, ranks, brings, holder, needs):
    if brings == "vectors":
        return [("reduce_scatter", 0), ("all_reduce", 0)]
    return [("gather", 1)] if brings == "shards" else [("broadcast", holder)]

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

# %% with_hyphens
# Wrong: the primitives are spelt otherwise.
# Message: which is none of broadcast

def choose_collectives(*, ranks, brings, holder, needs):
    N = ranks
    own = [[r] for r in range(N)]
    wants = [r for r in range(N) if needs[r] and not set(needs[r]) <= {r}]
    if brings == "one":
        others = [r for r in range(N) if r != holder and needs[r]]
        wants = [r for r in wants if r != holder]
        first = [("scatter", holder)] if others else []
    elif brings == "vectors":
        first = [("reduce-scatter", 0)]
    else:
        first = []
    if not wants:
        second = []
    elif len(wants) == 1:
        second = [("gather", wants[0])]
    else:
        second = [("all-gather", 0)]
    return first + second
