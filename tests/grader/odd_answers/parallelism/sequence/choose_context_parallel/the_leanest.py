# Right: the design that holds least, by other names, with a number of numpy.
import numpy as np


def choose_context_parallel(
    *, tokens, query_heads, key_heads, most_ranks, tflop_per_s, gb_per_s, message_us, launch_us, limit_us, room_mb
):
    best = None
    N = most_ranks
    while N >= 1:
        x = tokens / N
        blk = 2 * x * key_heads * 256
        C = 2 * tokens * x * query_heads * 128 / tflop_per_s / 1e6
        s = launch_us + C / N
        p = message_us + blk / gb_per_s / 1e3
        D = [
            ("ring attention", (N - 1) * max(s, p) + s, min(N, 3)),
            ("all-gather", (N - 1) * p + launch_us + C, N + (N > 1)),
        ]
        if key_heads % N == 0:
            D.append(
                (
                    "Ulysses",
                    (N - 1) * (2 * message_us + (blk + 512 * x * query_heads) / N / gb_per_s / 1e3) + launch_us + C,
                    min(2, N),
                )
            )
        for k, t, b in D:
            if t <= limit_us and b * blk <= room_mb * 1e6 and (best is None or b * blk < best[0]):
                best = (b * blk, [k, np.int64(N)])
        N //= 2
    return best and best[1]
