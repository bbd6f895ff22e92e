# %% gathers_on_16_alone
# Wrong: no all-gather on 2 to 8 ranks. It passed once.


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

# %% ranks_that_do_not_divide
# Wrong: as many ranks as key heads at most, also where they do not divide them. It passed once.
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
        if key_heads >= N:
            D.append(
                (
                    "all_to_all",
                    (N - 1) * (2 * message_us + (blk + 512 * x * query_heads) / N / gb_per_s / 1e3) + launch_us + C,
                    min(2, N),
                )
            )
        for k, t, b in D:
            if t <= limit_us and b * blk <= room_mb * 1e6:
                return k, N
        N *= 2
    return None

# %% the_leanest
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

# %% below_the_room
# Wrong: blocks that just fill the room are not allowed; it passed once.
# Message: design: None
from __future__ import annotations

from collections.abc import Iterator
from snippets.parallelism.sequence.formulas import KINDS

def designs(key_heads: int, most_ranks: int) -> Iterator[tuple[str, int]]:
    """Yield every design that there is."""
    N = 1
    while most_ranks >= N:
        yield from ((kind, N) for kind in KINDS if kind != "all_to_all" or key_heads % N == 0)
        N *= 2


def choose_context_parallel(
    *,
    tokens: int,
    query_heads: int,
    key_heads: int,
    most_ranks: int,
    tflop_per_s: int,
    gb_per_s: int,
    message_us: int,
    launch_us: int,
    limit_us: float,
    room_mb: float,
) -> tuple[str, int] | None:
    N = 1
    while most_ranks >= N:
        x = tokens / N
        block = 2 * x * key_heads * 128 * 2  # bytes
        compute_us = 4 * tokens * x / 2 * query_heads * 128 / (tflop_per_s * 1e6)
        step_us, message = launch_us + compute_us / N, message_us + block / (gb_per_s * 1e3)
        exchanged = block + 2 * x * query_heads * 128 * 2
        turns_us = (N - 1) * (2 * message_us + exchanged / N / (gb_per_s * 1e3))
        designs = [
            ("ring", (N - 1) * max(step_us, message) + step_us, min(N, 3)),
            ("all_gather", (N - 1) * message + launch_us + compute_us, N + 1),
        ]  # a single rank is found as a ring
        if key_heads % N == 0:
            designs.append(("all_to_all", turns_us + launch_us + compute_us, 2))
        for kind, time_us, blocks in designs:
            if time_us <= limit_us and blocks * block < room_mb * 1e6:
                return kind, N
        N *= 2
    return None

# %% below_the_time
# Wrong: attention that takes just the time is not allowed; it passed once.
# Message: design: None
from __future__ import annotations

from collections.abc import Iterator
from snippets.parallelism.sequence.formulas import KINDS

def designs(key_heads: int, most_ranks: int) -> Iterator[tuple[str, int]]:
    """Yield every design that there is."""
    N = 1
    while most_ranks >= N:
        yield from ((kind, N) for kind in KINDS if kind != "all_to_all" or key_heads % N == 0)
        N *= 2


def choose_context_parallel(
    *,
    tokens: int,
    query_heads: int,
    key_heads: int,
    most_ranks: int,
    tflop_per_s: int,
    gb_per_s: int,
    message_us: int,
    launch_us: int,
    limit_us: float,
    room_mb: float,
) -> tuple[str, int] | None:
    N = 1
    while most_ranks >= N:
        x = tokens / N
        block = 2 * x * key_heads * 128 * 2  # bytes
        compute_us = 4 * tokens * x / 2 * query_heads * 128 / (tflop_per_s * 1e6)
        step_us, message = launch_us + compute_us / N, message_us + block / (gb_per_s * 1e3)
        exchanged = block + 2 * x * query_heads * 128 * 2
        turns_us = (N - 1) * (2 * message_us + exchanged / N / (gb_per_s * 1e3))
        designs = [
            ("ring", (N - 1) * max(step_us, message) + step_us, min(N, 3)),
            ("all_gather", (N - 1) * message + launch_us + compute_us, N + 1),
        ]  # a single rank is found as a ring
        if key_heads % N == 0:
            designs.append(("all_to_all", turns_us + launch_us + compute_us, 2))
        for kind, time_us, blocks in designs:
            if time_us < limit_us and blocks * block <= room_mb * 1e6:
                return kind, N
        N *= 2
    return None
