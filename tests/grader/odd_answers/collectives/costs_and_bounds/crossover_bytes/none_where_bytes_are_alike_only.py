# Wrong: the size is taken without its sign.
def crossover_bytes(first, second, *, latency_s, bandwidth_bytes_per_s):
    (s, b), (t, c) = first, second
    return abs((t - s) / (b - c)) * latency_s * bandwidth_bytes_per_s if b != c and s != t else None
