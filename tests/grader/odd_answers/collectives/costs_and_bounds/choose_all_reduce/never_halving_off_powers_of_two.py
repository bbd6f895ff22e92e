# Wrong: leaves halving–doubling out where N is no power of two.
# Known mistake: Off powers of two halving–doubling can still be the fastest: compare all three.
def choose_all_reduce(ranks, size_bytes, latency_s, bandwidth_bytes_per_s):
    k = ranks.bit_length() - 1
    fold = 2 * (2**k < ranks)
    times = {
        "ring": 2 * (ranks - 1) * (latency_s + size_bytes / ranks / bandwidth_bytes_per_s),
        "recursive_doubling": (k + fold) * (latency_s + size_bytes / bandwidth_bytes_per_s),
    }
    if not fold:
        times["halving_doubling"] = 2 * k * latency_s + (2 - 2 / ranks) * size_bytes / bandwidth_bytes_per_s
    best = min(times, key=times.get)
    return best, times[best]
