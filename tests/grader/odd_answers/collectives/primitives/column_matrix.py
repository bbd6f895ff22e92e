# %% an_outer_product
# Right: a matrix of NumPy's floats.
import numpy as np


def column_matrix(primitive, ranks, column, root=0):
    one = np.eye(ranks)
    everybody = np.ones(ranks)
    return {
        "broadcast": np.outer(everybody, one[root]),
        "reduce": np.outer(one[root], everybody),
        "scatter": np.outer(one[column], one[root]),
        "gather": np.outer(one[root], one[column]),
        "all_gather": np.outer(everybody, one[column]),
        "reduce_scatter": np.outer(one[column], everybody),
        "all_reduce": np.outer(everybody, everybody),
    }[primitive]

# %% booleans
# Right: True and False for 1 and 0.
FROM = {"broadcast": "root", "scatter": "root", "gather": "owner", "all_gather": "owner"}
TO = {"reduce": "root", "gather": "root", "scatter": "owner", "reduce_scatter": "owner"}


def column_matrix(primitive, *, ranks, column, root=0):
    def takes_part(who, rank):
        return who == "all" or rank == {"root": root, "owner": column}[who]

    asked, answered = FROM.get(primitive, "all"), TO.get(primitive, "all")
    return [[takes_part(answered, r) and takes_part(asked, q) for q in range(ranks)] for r in range(ranks)]

# %% by_match
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

# %% four_roots
# Wrong: no root is above 3. It passed once.
def column_matrix(primitive, *, ranks, column, root=0):
    root, everyone = root % 4, range(ranks)
    asked = {"broadcast": [root], "scatter": [root], "gather": [column], "all_gather": [column]}
    answered = {"reduce": [root], "gather": [root], "scatter": [column], "reduce_scatter": [column]}
    to, of = answered.get(primitive, everyone), asked.get(primitive, everyone)
    return [[int(r in to and q in of) for q in everyone] for r in everyone]

# %% eight_columns
# Wrong: no column is above 7. It passed once.
def column_matrix(primitive, *, ranks, column, root=0):
    column, everyone = min(column, 7), range(ranks)
    asked = {"broadcast": [root], "scatter": [root], "gather": [column], "all_gather": [column]}
    answered = {"reduce": [root], "gather": [root], "scatter": [column], "reduce_scatter": [column]}
    to, of = answered.get(primitive, everyone), asked.get(primitive, everyone)
    return [[int(r in to and q in of) for q in everyone] for r in everyone]

# %% five_columns
# Wrong: no column is above 4. It passed once.
def column_matrix(primitive, *, ranks, column, root=0):
    column, everyone = min(column, 4), range(ranks)
    asked = {"broadcast": [root], "scatter": [root], "gather": [column], "all_gather": [column]}
    answered = {"reduce": [root], "gather": [root], "scatter": [column], "reduce_scatter": [column]}
    to, of = answered.get(primitive, everyone), asked.get(primitive, everyone)
    return [[int(r in to and q in of) for q in everyone] for r in everyone]

# %% all_gather_transposed
# Wrong: its all-gather is transposed.
# Message: wrong wherever primitive = 'all_gather'
def column_matrix(primitive, *, ranks, column, root=0):
    everyone = range(ranks)
    asked = {"broadcast": [root], "scatter": [root], "gather": [column]}
    answered = {"reduce": [root], "gather": [root], "scatter": [column], "reduce_scatter": [column], "all_gather": [column]}
    to, of = answered.get(primitive, everyone), asked.get(primitive, everyone)
    return [[int(r in to and q in of) for q in everyone] for r in everyone]
