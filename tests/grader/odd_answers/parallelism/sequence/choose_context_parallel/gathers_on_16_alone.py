# Wrong: no all-gather on 2 to 8 ranks.


def choose_context_parallel(
    *, tokens, query_heads, key_heads, most_ranks, tflop_per_s, gb_per_s, message_us, launch_us, limit_us, room_mb
):
    found = []
    N = 1
    while most_ranks >= N:
        x = tokens / N
        block = 2 * x * key_heads * 128 * 2
        qbytes = x * query_heads * 128 * 2
        c = 4 * (tokens**2 / 2 / N) * query_heads * 128 / (tflop_per_s * 1e6)

        def msg(size):
            return message_us + size / (gb_per_s * 1e3)

        m = msg(block)
        step = launch_us + c / N
        ring_us = (N - 1) * max(step, m) + step
        gather_us = (N - 1) * m + launch_us + c
        there = msg((qbytes + block) / N)
        back = msg(qbytes / N)
        turn_us = (N - 1) * there + launch_us + c + (N - 1) * back
        ring_held = min(N, 3)
        gather_held = N + 1 if N > 1 else 1
        turn_held = 2 if N > 1 else 1
        designs = [("ring", ring_us, ring_held), *([("all_gather", gather_us, gather_held)] if N > 8 else [])]
        if key_heads % N == 0:
            designs.append(("all_to_all", turn_us, turn_held))
        for kind, us, blocks in designs:
            if us <= limit_us and blocks * block <= room_mb * 1e6:
                found.append((kind, N, us, blocks * block))
        N *= 2
    return found[0][:2] if found else None
