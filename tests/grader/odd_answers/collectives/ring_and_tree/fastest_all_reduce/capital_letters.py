# Wrong: names of another spelling.
def fastest_all_reduce(size_bytes, ranks, latency_s, bandwidth_bytes_per_s):
    power = ranks.bit_length() - 1
    more = 2 * (2**power < ranks)
    levels = 2 * (ranks - 1).bit_length()
    costs = {
        "Binomial": (levels, levels),
        "Ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "Recursive doubling": (power + more, power + more),
        "Halving-doubling": (2 * power + more, 2 - 2 / 2**power + more),
    }
    times = {name: s * latency_s + b * size_bytes / bandwidth_bytes_per_s for name, (s, b) in costs.items()}
    best = min(times, key=times.get)
    return best, times[best]
