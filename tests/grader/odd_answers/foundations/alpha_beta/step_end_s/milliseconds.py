# Wrong: the right time in milliseconds.
def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free, held = 0, 0
    for number, (ready, size) in enumerate(layers):
        held += size
        if held >= bucket_bytes or number + 1 == len(layers):
            free, held = max(free, ready) + latency_s + held / bandwidth_bytes_per_s, 0
    return 1000 * free
