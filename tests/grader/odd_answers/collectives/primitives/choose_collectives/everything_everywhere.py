# Wrong: whoever needs something that is not its own, everybody is given everything.
# Known mistake: An all-gather brings all chunks to all ranks; where one rank alone needs them, a gather sends fewer.
def choose_collectives(*, ranks, brings, holder, needs):
    wanting = [r for r in range(ranks) if any(c != r for c in needs[r]) and not (brings == "one" and r == holder)]
    others = any(needs[r] for r in range(ranks) if r != holder)
    first = {"vectors": [("reduce_scatter", 0)], "shards": [], "one": [("scatter", holder)] if others else []}[brings]
    return first + ([("all_gather", 0)] if wanting else [])
