# Right: a match statement, rows that are tuples.
def column_matrix(primitive, **sizes):
    ranks, column, root = sizes["ranks"], sizes["column"], sizes.get("root", 0)
    match primitive:
        case "broadcast" | "scatter":
            asked = {root}
        case "gather" | "all_gather":
            asked = {column}
        case _:
            asked = set(range(ranks))
    match primitive:
        case "reduce" | "gather":
            answered = {root}
        case "scatter" | "reduce_scatter":
            answered = {column}
        case _:
            answered = set(range(ranks))
    return tuple(tuple(int(r in answered and q in asked) for q in range(ranks)) for r in range(ranks))
