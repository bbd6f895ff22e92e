# Wrong: a layer that would make the bucket too large opens the next one; the closed one leaves when its own layers are.
# Known mistake: This bucket closes before a layer that would overfill it; the layer joins it first, and then it leaves.
def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    buckets, held, last = [], 0, 0
    for ready, size in layers:
        if held and held + size > bucket_bytes:
            buckets.append((last, held))
            held = 0
        held, last = held + size, ready
    if held:
        buckets.append((last, held))
    free = 0
    for ready, size in buckets:
        free = max(free, ready) + latency_s + size / bandwidth_bytes_per_s
    return free
