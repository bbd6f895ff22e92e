# Wrong: a rule of thumb: below αβ the fewest steps, above it the fewest bytes.
def fastest_all_reduce(size_bytes, ranks, latency_s, bandwidth_bytes_per_s):
    power = ranks.bit_length() - 1
    more = 2 * (2**power < ranks)
    costs = {
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (power + more, power + more),
        "halving_doubling": (2 * power + more, 2 - 2 / 2**power + more),
    }
    if ranks == 1:
        return "binomial", 0.0
    if size_bytes < latency_s * bandwidth_bytes_per_s:
        best = "recursive_doubling"
    else:
        best = "ring" if more else "halving_doubling"
    steps, share = costs[best]
    return best, steps * latency_s + share * size_bytes / bandwidth_bytes_per_s
