# Wrong: all rows are the same list, so that the last row wins everywhere.
def column_matrix(primitive, *, ranks, column, root=0):
    everybody = set(range(ranks))
    asked = {root} if primitive in ("broadcast", "scatter") else {column} if "gather" in primitive else everybody
    answered = {root} if primitive in ("reduce", "gather") else {column} if "scatter" in primitive else everybody
    matrix = [[0] * ranks] * ranks
    for r in range(ranks):
        for q in range(ranks):
            matrix[r][q] = int(r in answered and q in asked)
    return matrix
