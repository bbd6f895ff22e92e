# Wrong: it counts as if there were ranks up to the next power of two.
# Known mistake: Off powers of two you count as if there were ranks up to the next power of two. There are not: each rank beyond the power of two below sends its whole vector before, and receives the result after.

def lines(ranks, alpha, beta, gamma):
    N = ranks
    k = (N - 1).bit_length()
    P = 2 ** k
    f = 0
    raw = {
        "ring": (2 * (N - 1), 2 * (N - 1) / N, (N - 1) / N),
        "recursive_doubling": (k + 2 * f, k + 2 * f, k + f),
        "halving_doubling": (2 * k + 2 * f, 2 * (P - 1) / P + 2 * f, (P - 1) / P + f),
    }
    return {a: (S * alpha, b / beta + r * gamma) for a, (S, b, r) in raw.items()}

def choose_all_reduce(*, ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    rest = lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    name = min(rest, key=lambda a: rest[a])
    table = [(0.0, name)]
    while True:
        a0, s0 = rest[name]
        meet = [((a - a0) / (s0 - s), s, other) for other, (a, s) in rest.items() if s < s0]
        if not meet: return table
        n, _, name = min(meet)
        table.append((n, name))
