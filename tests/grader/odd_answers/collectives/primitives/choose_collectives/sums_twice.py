# Wrong: all-reduces what a reduce-scatter has left, so that the owner's part counts twice.
# Message: lack a chunk
def choose_collectives(*, ranks, brings, holder, needs):
    if brings == "vectors":
        return [("reduce_scatter", 0), ("all_reduce", 0)]
    return [("gather", 1)] if brings == "shards" else [("broadcast", holder)]
