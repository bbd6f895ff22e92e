# Wrong: an exception with a text of its own.
# Message: ValueError: what is all_gather? (line 6)
def column_matrix(primitive, *, ranks, column, root=0):
    everybody = set(range(ranks))
    if primitive == "all_gather":
        raise ValueError(f"what is {primitive}?")
    asked = {root} if primitive in ("broadcast", "scatter") else {column} if "gather" in primitive else everybody
    answered = {root} if primitive in ("reduce", "gather") else {column} if "scatter" in primitive else everybody
    return [[int(r in answered and q in asked) for q in range(ranks)] for r in range(ranks)]
