# %% by_buckets
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

# %% from_both_ends
# Wrong: it ignores the buckets between the first and the last.
# Known mistake: The link can rest in the middle too: a bucket between the first and the last may be late and long.


def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    bs, held = [], 0
    for i, (ready, size) in enumerate(layers):
        held += size
        if held >= bucket_bytes or i == len(layers) - 1:
            bs.append((ready, latency_s + held / bandwidth_bytes_per_s))
            held = 0
    if not bs:
        return 0.0
    return max(bs[-1][0] + bs[-1][1], bs[0][0] + sum(b for _, b in bs))

# %% last_by_its_value
# Wrong: a layer that equals the last one counts as the last.
# Known mistake: A layer with the numbers of the last one need not be the last: go by its place.


def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free = held = 0.0
    for i, (ready, size) in enumerate(layers):
        held += size
        if held >= bucket_bytes or (ready, size) == layers[-1]:
            free = max(free, ready) + latency_s + held / bandwidth_bytes_per_s
            held = 0.0
    return free

# %% nearly_full
# Wrong: a bucket that lacks a thousandth is sent. It passed once.


def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free = held = 0.0
    for i, (ready, size) in enumerate(layers):
        held += size
        if held + 1e-3 * bucket_bytes >= bucket_bytes or i == len(layers) - 1:
            free = max(free, ready) + latency_s + held / bandwidth_bytes_per_s
            held = 0.0
    return free

# %% rounded_to_three_decimals
# Wrong: it rounds. It passed once.


def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free = held = 0.0
    for i, (ready, size) in enumerate(layers):
        held += size
        if held >= bucket_bytes or i == len(layers) - 1:
            free = max(free, ready) + latency_s + held / bandwidth_bytes_per_s
            held = 0.0
    return round(free, 3)

# %% rounded_to_two_decimals
# Wrong: it rounds. It passed once.


def step_end_s(layers, *, bucket_bytes, latency_s, bandwidth_bytes_per_s):
    free = held = 0.0
    for i, (ready, size) in enumerate(layers):
        held += size
        if held >= bucket_bytes or i == len(layers) - 1:
            free = max(free, ready) + latency_s + held / bandwidth_bytes_per_s
            held = 0.0
    return round(free, 2)
