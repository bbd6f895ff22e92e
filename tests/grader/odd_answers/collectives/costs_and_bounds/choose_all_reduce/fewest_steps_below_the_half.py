# Wrong: a rule of thumb: below αβ bytes recursive doubling, above it what sends the fewest bytes.
def choose_all_reduce(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    power = ranks & (ranks - 1) == 0
    large = "halving_doubling" if power else "ring"
    return [(0.0, "recursive_doubling"), (latency_s * bandwidth_bytes_per_s, large)]
