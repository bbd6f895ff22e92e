# Wrong: first sizes in kB.
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
    sizes = [2 ** (step / 10) for step in range(80, 350)]
    return [(0, "recursive_doubling")] + [
        (n / 1e3, min(found, key=lambda x: found[x][0] + found[x][1] * n)) for n in sizes
    ]
