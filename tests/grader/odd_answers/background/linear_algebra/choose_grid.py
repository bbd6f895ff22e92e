# %% a_byte_left_free
# Wrong: a grid that needs all of the room is refused, and where it is the only one, none is left.
# Known mistake: All of the room may be used: a grid that needs just as much as is free fits.
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
        if c > 1 and replicated != "A":
            panel += (m // r) * w
        if r > 1 and replicated != "B":
            panel += (n // c) * w
        part = block // d if d > 1 else 0
        return element_bytes * (block + max(panel, part))

    fit = [g for g in grids if room(*g) < free_bytes]
    return min(fit, key=lambda g: sent(*g))

# %% always_two_bytes
# Wrong: numbers of 2 bytes, whatever they have.
# Message: needs 48 bytes, 16 more than are free
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
        if c > 1 and replicated != "A":
            panel += (m // r) * w
        if r > 1 and replicated != "B":
            panel += (n // c) * w
        part = block // d if d > 1 else 0
        return 2 * (block + max(panel, part))

    fit = [g for g in grids if room(*g) <= free_bytes]
    return min(fit, key=lambda g: sent(*g))

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

# %% blocks_cut_by_layers
# Wrong: a layer's block of C is a d-th.
# Known mistake: Until the layers have been summed, each of them has a whole block of C, m/r × n/c: d does not make it smaller.
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
        if c > 1 and replicated != "A":
            panel += (m // r) * w
        if r > 1 and replicated != "B":
            panel += (n // c) * w
        part = block // d if d > 1 else 0
        return element_bytes * (block // d + max(panel, part))

    fit = [g for g in grids if room(*g) <= free_bytes]
    return min(fit, key=lambda g: sent(*g))

# %% half_of_the_workers
# Wrong: not all workers are used.
# Message: which is none of
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    return (1, 1, workers // 2)

# %% leaves_out_what_passes
# Wrong: a grid that fits only while nothing passes through.
# Known mistake: This grid does not fit: panels and parts of the sum that come from others need room as well.
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
            if element_bytes * (held + 0) <= free_bytes:
                found.append((sent, r, c, d))
    return min(found)[1:]

# %% no_return
# Wrong: nothing is returned.
# Message: nothing is returned: does every way through end in a `return`?
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    grid = (1, 1, workers)

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

# %% panels_of_one_row
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

# %% squares_of_16
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
