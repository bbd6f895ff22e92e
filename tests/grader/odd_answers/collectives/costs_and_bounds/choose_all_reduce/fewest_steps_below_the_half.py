# Wrong: a rule of thumb: below αβ bytes recursive doubling, above it what sends the fewest bytes.
def choose_all_reduce(ranks, size_bytes, latency_s, bandwidth_bytes_per_s):
    k = ranks.bit_length() - 1
    fold = 2 * (2**k < ranks)
    if size_bytes < latency_s * bandwidth_bytes_per_s:
        return "recursive_doubling", (k + fold) * (latency_s + size_bytes / bandwidth_bytes_per_s)
    if fold:
        return "ring", 2 * (ranks - 1) * (latency_s + size_bytes / ranks / bandwidth_bytes_per_s)
    return "halving_doubling", 2 * k * latency_s + (2 - 2 / ranks) * size_bytes / bandwidth_bytes_per_s
