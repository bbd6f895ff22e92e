# Right: a table from the bottom up.
def fewest_runs(*, layers, checkpoints):
    rows = [[0, *(n * (n + 1) // 2 for n in range(1, layers + 1))]]
    for _ in range(1, checkpoints):
        row = [0, 1]
        for n in range(2, layers + 1):
            row.append(min(j + rows[-1][n - j] + row[j] for j in range(1, n)))
        rows.append(row)
    return rows[-1][layers]
