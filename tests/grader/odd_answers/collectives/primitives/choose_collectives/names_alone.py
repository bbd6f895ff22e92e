# Wrong: names of primitives without their roots.
def choose_collectives(*, ranks, brings, holder, needs):
    return ["reduce_scatter"] if brings == "vectors" else ["gather"]
