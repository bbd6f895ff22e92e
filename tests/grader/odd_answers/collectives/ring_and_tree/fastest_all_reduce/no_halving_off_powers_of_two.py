# Wrong: halving–doubling is left out where N is no power of two; between the two others it can be the fastest there too.
# Known mistake: Off powers of two halving–doubling can still be the fastest: its fold costs 2n bytes, a ring 2 (N − 1) steps.
def fastest_all_reduce(size_bytes, ranks, latency_s, bandwidth_bytes_per_s):
    power = ranks.bit_length() - 1
    more = 2 * (2**power < ranks)
    levels = 2 * (ranks - 1).bit_length()
    costs = {
        "binomial": (levels, levels),
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (power + more, power + more),
    }
    if not more:
        costs["halving_doubling"] = (2 * power, 2 - 2 / 2**power)
    times = {name: s * latency_s + b * size_bytes / bandwidth_bytes_per_s for name, (s, b) in costs.items()}
    best = min(times, key=times.get)
    return best, times[best]
