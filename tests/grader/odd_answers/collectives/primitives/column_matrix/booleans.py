# Right: True and False for 1 and 0.
FROM = {"broadcast": "root", "scatter": "root", "gather": "owner", "all_gather": "owner"}
TO = {"reduce": "root", "gather": "root", "scatter": "owner", "reduce_scatter": "owner"}


def column_matrix(primitive, *, ranks, column, root=0):
    def takes_part(who, rank):
        return who == "all" or rank == {"root": root, "owner": column}[who]

    asked, answered = FROM.get(primitive, "all"), TO.get(primitive, "all")
    return [[takes_part(answered, r) and takes_part(asked, q) for q in range(ranks)] for r in range(ranks)]
