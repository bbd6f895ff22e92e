# Wrong: 2**20 bytes for a megabyte.
# Known mistake: This takes a design that holds a little more than there is room for: a megabyte has 10⁶ bytes, not 2²⁰.
def choose_context_parallel(
    *, tokens, query_heads, key_heads, most_ranks, tflop_per_s, gb_per_s, message_us, launch_us, limit_us, room_mb
):
    N = 1
    while most_ranks >= N:
        x = tokens / N
        blk = 2 * x * key_heads * 256
        C = 2 * tokens * x * query_heads * 128 / tflop_per_s / 1e6
        s = launch_us + C / N
        p = message_us + blk / gb_per_s / 1e3
        D = [("ring", (N - 1) * max(s, p) + s, min(N, 3)), ("all_gather", (N - 1) * p + launch_us + C, N + (N > 1))]
        if key_heads % N == 0:
            D.append(
                (
                    "all_to_all",
                    (N - 1) * (2 * message_us + (blk + 512 * x * query_heads) / N / gb_per_s / 1e3) + launch_us + C,
                    min(2, N),
                )
            )
        for k, t, b in D:
            if t <= limit_us and b * blk <= room_mb * 2**20:
                return k, N
        N *= 2
    return None
