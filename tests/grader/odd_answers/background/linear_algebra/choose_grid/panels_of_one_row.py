# Wrong: a panel of A also where there is one column, and one of B where there is one row.
# Known mistake: You count too much room. A panel of A passes through only where there are several columns, and one of B only where there are several rows.
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    grids = [
        (r, c, workers // (r * c))
        for r in range(1, workers + 1)
        for c in range(1, workers + 1)
        if workers % (r * c) == 0
    ]

    def sent(r, c, d):
        return (
            (m * k * (c - 1) if replicated != "A" else 0)
            + (k * n * (r - 1) if replicated != "B" else 0)
            + m * n * (d - 1)
        )

    def room(r, c, d):
        block = (m // r) * (n // c)
        w = k // (d * max(r, c))
        panel = 0
        if replicated != "A":
            panel += (m // r) * w
        if replicated != "B":
            panel += (n // c) * w
        part = block // d if d > 1 else 0
        return element_bytes * (block + max(panel, part))

    fit = [g for g in grids if room(*g) <= free_bytes]
    return min(fit, key=lambda g: sent(*g))
