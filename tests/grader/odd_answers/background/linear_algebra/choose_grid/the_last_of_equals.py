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
