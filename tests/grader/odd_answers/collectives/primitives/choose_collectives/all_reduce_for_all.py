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
