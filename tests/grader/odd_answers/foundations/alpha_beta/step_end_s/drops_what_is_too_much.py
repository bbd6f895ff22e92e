# Wrong: a bucket takes bucket_bytes of a layer, and what is more goes into the next: a layer is not cut.
def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free, held = 0, 0
    for number, (ready, size) in enumerate(layers):
        held += size
        while held >= bucket_bytes or (held and number + 1 == len(layers)):
            sent = min(held, bucket_bytes)
            free, held = max(free, ready) + latency_s + sent / bandwidth_bytes_per_s, held - sent
    return free
