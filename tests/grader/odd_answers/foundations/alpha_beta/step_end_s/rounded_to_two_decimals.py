# Wrong: it rounds.


def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free = held = 0.0
    for i, (ready, size) in enumerate(layers):
        held += size
        if held >= bucket_bytes or i == len(layers) - 1:
            free = max(free, ready) + latency_s + held / bandwidth_bytes_per_s
            held = 0.0
    return round(free, 2)
