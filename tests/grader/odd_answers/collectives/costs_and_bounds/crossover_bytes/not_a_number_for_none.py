# Wrong: None is asked where the lines do not meet.
# Message: nan
def crossover_bytes(first, second, *, latency_s, bandwidth_bytes_per_s):
    (s, b), (t, c) = first, second
    return (t - s) / (b - c) * latency_s * bandwidth_bytes_per_s if (t - s) * (b - c) > 0 else float("nan")
