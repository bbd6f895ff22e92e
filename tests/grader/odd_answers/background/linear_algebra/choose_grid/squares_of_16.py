# Wrong: of 16 workers a square in each layer, or one row or column.
# Message: workers = 16
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    grids = [
        (r, c, workers // (r * c))
        for r in range(1, workers + 1)
        for c in range(1, workers + 1)
        if workers % (r * c) == 0 and (r == c or workers < 9 or r == 1 or c == 1)
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
        if c > 1 and replicated != "A":
            panel += (m // r) * w
        if r > 1 and replicated != "B":
            panel += (n // c) * w
        part = block // d if d > 1 else 0
        return element_bytes * (block + max(panel, part))

    fit = [g for g in grids if room(*g) <= free_bytes]
    return min(fit, key=lambda g: sent(*g))
