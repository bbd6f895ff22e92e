# Wrong: the right name with the time of the ring.
def choose_all_reduce(ranks, size_bytes, latency_s, bandwidth_bytes_per_s):
    k = ranks.bit_length() - 1
    fold = 2 * (2**k < ranks)
    times = {
        "ring": 2 * (ranks - 1) * (latency_s + size_bytes / ranks / bandwidth_bytes_per_s),
        "recursive_doubling": (k + fold) * (latency_s + size_bytes / bandwidth_bytes_per_s),
        "halving_doubling": (2 * k + fold) * latency_s + (2 - 2 / 2**k + fold) * size_bytes / bandwidth_bytes_per_s,
    }
    return min(times, key=times.get), times["ring"]
