# Right: lists of rows where arrays are asked.
def k_split_product(a, b, parts):
    k = a.shape[1]
    whole, longer = divmod(k, parts)
    ends = [p * whole + min(p, longer) for p in range(parts + 1)]
    rows, columns = range(a.shape[0]), range(b.shape[1])
    return [
        [[sum(a[i, x] * b[x, j] for x in range(start, stop)) for j in columns] for i in rows]
        for start, stop in zip(ends, ends[1:])
    ]
