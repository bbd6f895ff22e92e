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
