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
