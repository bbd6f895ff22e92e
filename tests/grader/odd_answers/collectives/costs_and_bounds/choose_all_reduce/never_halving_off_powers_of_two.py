# Wrong: leaves halving–doubling out where N is no power of two.
# Known mistake: Off powers of two there is a third algorithm between the fewest steps and the fewest bytes: take the line that is met first.
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
    (a, b), (c, d) = found["recursive_doubling"], found["halving_doubling" if ranks & (ranks - 1) == 0 else "ring"]
    large = "halving_doubling" if ranks & (ranks - 1) == 0 else "ring"
    table = [(0.0, "recursive_doubling")]
    return [*table, ((c - a) / (b - d), large)] if d < b * (1 - 1e-12) else table
