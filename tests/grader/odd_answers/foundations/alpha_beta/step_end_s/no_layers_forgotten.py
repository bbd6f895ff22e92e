# Wrong: without layers there is no last one.
# Message: IndexError: list index out of range (line 9)
def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free, held = 0, 0
    for ready, size in layers:
        held += size
        if held >= bucket_bytes:
            free, held = max(free, ready) + latency_s + held / bandwidth_bytes_per_s, 0
    ready = layers[-1][0]
    return max(free, ready) + latency_s + held / bandwidth_bytes_per_s if held else free
