# Wrong: at most 8 rows and 8 columns.
# Message: workers = 16
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    grids = [(r, c, workers // (r * c)) for r in (1, 2, 4, 8) for c in (1, 2, 4, 8) if workers % (r * c) == 0]

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
