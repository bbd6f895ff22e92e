# Wrong: the first bucket alone pays α.
# Known mistake: Your first bucket pays α and the others do not; the operation starts anew for each of them.


def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free = held = 0.0
    sent = False
    for i, (ready, size) in enumerate(layers):
        held += size
        if held >= bucket_bytes or i == len(layers) - 1:
            free = max(free, ready) + (0 if sent else latency_s) + held / bandwidth_bytes_per_s
            held = 0.0
            sent = True
    return free
