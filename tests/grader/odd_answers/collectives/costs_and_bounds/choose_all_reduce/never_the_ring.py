# Wrong: off powers of two a ring sends the fewest bytes.
# Known mistake: Where N is no power of two, two messages of the whole vector come on top, one before and one after: halving–doubling then sends about twice the bytes of a ring.
def lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    k = ranks.bit_length() - 1
    fold = int(2**k < ranks)
    terms = {
        "recursive_doubling": (k + 2 * fold, k + 2 * fold, k + fold),
        "halving_doubling": (2 * k + 2 * fold, 2 - 2 / 2**k + 2 * fold, 1 - 1 / 2**k + fold),
        "ring": (2 * (ranks - 1), 2 - 2 / ranks, 1 - 1 / ranks),
    }
    return {x: (s * latency_s, b / bandwidth_bytes_per_s + r * reduction_s_per_byte) for x, (s, b, r) in terms.items()}


def choose_all_reduce(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    found = lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    (a, b), (c, d) = found["recursive_doubling"], found["halving_doubling"]
    table = [(0.0, "recursive_doubling")]
    return [*table, ((c - a) / (b - d), "halving_doubling")] if d < b * (1 - 1e-12) else table
