# Wrong: it chooses nothing but for 3, 4 and 8 ranks.

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
