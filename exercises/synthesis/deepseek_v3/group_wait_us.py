"""Exercise: how long GPUs that share a layer wait for each other."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def group_wait_us(
    *,
    tensor_parallel: int,
    open_halves: int,
    tokens: int,
    hidden: int,
    link_gb_per_s: int,
    latency_us: int,
) -> float:
    """Return how long GPUs that share a layer wait for each other.

    Each open half of an all-reduce is a ring: every GPU sends one piece to
    its neighbour, again and again, until all pieces have been everywhere.

    Args:
        tensor_parallel: GPUs that share the layer; pieces needn't be whole
            numbers of tokens or bytes.
        open_halves: gathers and scatters beside which nothing runs, at least 0.
        tokens: of the micro-batch that they share.
        hidden: numbers of a token, each of 2 bytes.
        link_gb_per_s: GB that a GPU sends in a second.
        latency_us: of each message, in microseconds, at least 0.

    Returns:
        Microseconds for one layer and one micro-batch.

    >>> group_wait_us(
    ...     tensor_parallel=4, open_halves=2, tokens=1000, hidden=1000,
    ...     link_gb_per_s=100, latency_us=5,
    ... )
    60.0
    """
    t = tensor_parallel
    piece_us = 2 * tokens * hidden / t / (1000 * link_gb_per_s)
    return open_halves * (t - 1) * (latency_us + piece_us)


def round_by_round(
    *,
    tensor_parallel: int,
    open_halves: int,
    tokens: int,
    hidden: int,
    link_gb_per_s: int,
    latency_us: int,
) -> float:
    """Let every GPU hand pieces on until each has all of them, and add up the rounds."""
    piece = Fraction(2 * tokens * hidden, tensor_parallel)
    held = [{rank} for rank in range(tensor_parallel)]
    spent = Fraction(0)
    last = list(range(tensor_parallel))
    while any(len(pieces) < tensor_parallel for pieces in held):
        last = [last[rank - 1] for rank in range(tensor_parallel)]
        for rank, piece_of in enumerate(last):
            held[rank].add(piece_of)
        spent += latency_us + piece / (1000 * link_gb_per_s)
    return float(open_halves * spent)


group_of = inputs_for(group_wait_us)
ON_H800 = {t: group_of(t, 6, 4096, 7168, 160, 5) for t in (2, 4, 8)}
ON_H100 = group_of(8, 6, 4096, 7168, 360, 5)


def taught() -> str:
    waits = [f"{group_wait_us(**each) / 1000:.1f} ms" for each in ON_H800.values()]
    return (
        f"On H800s two, four and eight GPUs wait for {waits[0]}, {waits[1]} and {waits[2]}, while the layer takes them "
        f"19, 9.6 and 4.8 ms. On H100s eight wait for {group_wait_us(**ON_H100) / 1000:.1f} ms."
    )


EXERCISE = Exercise(
    group_wait_us,
    number=2,
    level="easy",
    asked="how long GPUs that share a layer wait for each other",
    expected=round_by_round,
    examples=[
        group_of(4, 2, 1000, 1000, 100, 5),
        group_of(1, 6, 4096, 7168, 160, 5),
        group_of(2, 1, 10, 100, 1, 0),
        group_of(3, 1, 30, 100, 1, 7),
        group_of(2, 0, 10, 100, 1, 5),
        *ON_H800.values(),
        ON_H100,
    ],
    inputs=lambda st: {
        "tensor_parallel": st.integers(1, 9),
        "open_halves": st.integers(0, 10),
        "tokens": st.integers(1, 300),
        "hidden": st.integers(1, 300),
        "link_gb_per_s": st.integers(1, 40),
        "latency_us": st.integers(0, 20),
    },
    units={"result": "µs"},
    taught=taught,
    mistakes=[
        Mistake(
            "sends_everything_each_time",
            "You sent the whole activations in each round. A GPU hands on a piece, a t-th of them.",
            {"hidden / t /": "hidden /"},
        ),
        Mistake(
            "one_round_too_many",
            "You counted t rounds. A GPU has its own piece already, so t − 1 are enough.",
            {"(t - 1)": "t"},
        ),
        Mistake(
            "one_round_too_many_in_a_group",
            "You counted t rounds for a group. A GPU has its own piece already, so t − 1 are enough.",
            {"(t - 1)": "(t if t > 1 else 0)"},
        ),
        Mistake(
            "one_latency_even_alone",
            "You paid one latency for each half, even with one GPU. Every round pays it, and one GPU has no round.",
            {"(t - 1) * (latency_us + piece_us)": "(latency_us + (t - 1) * piece_us)"},
        ),
        Mistake(
            "one_byte_a_number",
            "You counted one byte for each number. Activations between the blocks have two.",
            {"2 * tokens": "tokens"},
        ),
        Mistake(
            "whole_all_reduces",
            "You counted whole all-reduces. What is given are halves of them.",
            {"open_halves * (t": "2 * open_halves * (t"},
        ),
        Mistake(
            "forgets_the_latency",
            "You left out the latency, which every round pays.",
            {"(latency_us + piece_us)": "piece_us"},
        ),
        Mistake(
            "one_latency_for_all_rounds",
            "You paid the latency once for each half. Every round pays it.",
            {"(t - 1) * (latency_us + piece_us)": "((t > 1) * latency_us + (t - 1) * piece_us)"},
        ),
        Mistake(
            "reads_giga_as_million",
            "Your unit is off by a thousand: 1 GB/s is 1,000 bytes in a microsecond.",
            {"(1000 * link_gb_per_s)": "link_gb_per_s"},
        ),
        Mistake(
            "one_round",
            "You counted one round. A piece has to reach every GPU of the group.",
            {"(t - 1)": "(t > 1)"},
        ),
    ],
)
