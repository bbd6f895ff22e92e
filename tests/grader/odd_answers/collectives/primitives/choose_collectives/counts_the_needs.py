# Wrong: it knows whether the others need something from the sum of all needs.

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
