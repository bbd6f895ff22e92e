# Wrong: the right time in µs.
def fastest_all_reduce(size_bytes, ranks, latency_s, bandwidth_bytes_per_s):
    power = ranks.bit_length() - 1
    more = 2 * (2**power < ranks)
    levels = 2 * (ranks - 1).bit_length()
    costs = {
        "binomial": (levels, levels),
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (power + more, power + more),
        "halving_doubling": (2 * power + more, 2 - 2 / 2**power + more),
    }
    times = {name: s * latency_s + b * size_bytes / bandwidth_bytes_per_s for name, (s, b) in costs.items()}
    best = min(times, key=times.get)
    return best, 1e6 * times[best]
