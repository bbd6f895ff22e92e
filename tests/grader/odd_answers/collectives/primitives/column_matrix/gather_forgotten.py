# Wrong: right for all primitives but one.
# Message: gather
def column_matrix(primitive, *, ranks, column, root=0):
    everybody = set(range(ranks))
    asked = {root} if primitive in ("broadcast", "scatter") else {column} if primitive == "all_gather" else everybody
    answered = {root} if primitive in ("reduce", "gather") else {column} if "scatter" in primitive else everybody
    return [[int(r in answered and q in asked) for q in range(ranks)] for r in range(ranks)]
