# %% at_most_eight
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

# %% none_of_64
# Wrong: it gives up at 64 workers. It passed once.
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    if workers >= 64:
        raise RuntimeError
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
        if c > 1 and replicated != "A":
            panel += (m // r) * w
        if r > 1 and replicated != "B":
            panel += (n // c) * w
        part = block // d if d > 1 else 0
        return element_bytes * (block + max(panel, part))

    fit = [g for g in grids if room(*g) <= free_bytes]
    return min(fit, key=lambda g: sent(*g))

# %% squares_of_16
# Wrong: of 16 workers a square in each layer, or one row or column.
# Message: right on 448 of 456 inputs
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

# %% the_last_of_equals
# Right: of the grids that send least it takes the one with most rows, as a list.
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    found = []
    for r in range(1, workers + 1):
        for c in range(1, workers + 1):
            d = workers // (r * c)
            if r * c * d != workers:
                continue
            a, b = replicated != "A", replicated != "B"
            held = m * n // (r * c)
            wide = k // max(r, c) // d
            passing = [m * wide // r * (c > 1) * a + n * wide // c * (r > 1) * b, m * n // (r * c * d) * (d > 1)]
            sent = a * m * k * (c - 1) + b * k * n * (r - 1) + m * n * (d - 1)
            if element_bytes * (held + max(passing)) <= free_bytes:
                found.append((sent, -r, -c, d))
    return [-min(found)[1], -min(found)[2], min(found)[3]]

# %% another_design
# Right: of several best grids the one with the most columns.
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    best = None
    for c in range(workers, 0, -1):
        for r in range(workers, 0, -1):
            if workers % (r * c):
                continue
            d = workers // (r * c)
            a = 0 if replicated == "A" else m * k * (c - 1)
            b = 0 if replicated == "B" else k * n * (r - 1)
            panels = (m * k // r * (a > 0) + k * n // c * (b > 0)) // (d * max(r, c))
            block = m * n // (r * c)
            need = block + max(panels, block // d if d > 1 else 0)
            if need * element_bytes <= free_bytes:
                sent = a + b + m * n * (d - 1)
                if best is None or sent < best[0]:
                    best = sent, (r, c, d)
    return best[1] if best else (1, 1, workers)
