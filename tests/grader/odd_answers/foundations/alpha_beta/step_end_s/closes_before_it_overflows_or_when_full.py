# Wrong: the same, and a bucket that is exactly full leaves at once.
def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    buckets, held = [], 0
    for ready, size in layers:
        if held and held + size > bucket_bytes:
            buckets.append((ready, held))
            held = 0
        held += size
        if held >= bucket_bytes:
            buckets.append((ready, held))
            held = 0
    if held:
        buckets.append((layers[-1][0], held))
    free = 0
    for ready, size in buckets:
        free = max(free, ready) + latency_s + size / bandwidth_bytes_per_s
    return free
