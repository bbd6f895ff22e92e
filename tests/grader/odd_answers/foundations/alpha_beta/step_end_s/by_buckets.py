# Right: first the buckets, then the link.
def step_end_s(layers, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    buckets = [[]]
    for layer in layers:
        buckets[-1].append(layer)
        if sum(size for _, size in buckets[-1]) >= bucket_bytes:
            buckets.append([])
    free = 0
    for bucket in filter(None, buckets):
        free = max(free, max(ready for ready, _ in bucket)) + latency_s
        free += sum(size for _, size in bucket) / bandwidth_bytes_per_s
    return free
