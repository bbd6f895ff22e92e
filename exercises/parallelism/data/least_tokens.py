"""Exercise: the least micro-batch beside whose backward pass the gradients' sum hides."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake
from snippets.all_reduce import ring_all_reduce_time_s
from snippets.flops import compute_time_s


def least_tokens(
    *,
    ranks: int,
    parameters: int,
    flops_per_s: float,
    bandwidth_bytes_per_s: float,
    gradient_bytes: int,
) -> int:
    """Return the fewest tokens of a micro-batch that hide the all-reduce.

    The gradients are summed by a ring beside the backward pass of one
    micro-batch. Return the least whole number of tokens for which that pass
    takes at least as long as the bytes of the sum need. Leave out latency and
    attention's scores: a token takes part in four operations with every
    parameter.

    Args:
        ranks: number of ranks, at least 2.
        parameters: parameters of the model.
        flops_per_s: operations that a rank carries out in a second.
        bandwidth_bytes_per_s: what a rank's link carries in one direction.
        gradient_bytes: bytes of one parameter's gradient on the link.

    Returns:
        Tokens of the micro-batch, on one rank.

    >>> least_tokens(
    ...     ranks=2, parameters=10**9, flops_per_s=9e12,
    ...     bandwidth_bytes_per_s=2e9, gradient_bytes=4,
    ... )
    4500
    """
    sent = 2 * (ranks - 1) / ranks * gradient_bytes
    return math.ceil(sent * flops_per_s / (4 * bandwidth_bytes_per_s))


def first_that_hides(
    *, ranks: int, parameters: int, flops_per_s: float, bandwidth_bytes_per_s: float, gradient_bytes: int
) -> int:
    """Search by halves, with the book's times of a ring and of a computation."""
    ring_s = ring_all_reduce_time_s(
        ranks=ranks,
        size_bytes=gradient_bytes * parameters,
        latency_s=0.0,
        bandwidth_bytes_per_s=bandwidth_bytes_per_s,
    )
    low, high = 0, 1
    while not _hides(high, parameters, flops_per_s, ring_s):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _hides(middle, parameters, flops_per_s, ring_s) else (middle, high)
    return high


def _hides(tokens: int, parameters: int, flops_per_s: float, ring_s: float) -> bool:
    return compute_time_s(flops=4 * parameters * tokens, flops_per_s=flops_per_s) >= ring_s * (1 - 1e-9)


def case(ranks: int, parameters: int, tera: int, gigabytes: int, gradient_bytes: int) -> Inputs:
    return {
        "ranks": ranks,
        "parameters": parameters,
        "flops_per_s": tera * 1e12,
        "bandwidth_bytes_per_s": gigabytes * 1e9,
        "gradient_bytes": gradient_bytes,
    }


def is_clear(inputs: Inputs) -> bool:
    """Say whether the threshold is a hundredth or more away from whole numbers, or one that floats hit in any order."""
    N, P, β = inputs["ranks"], inputs["flops_per_s"], inputs["bandwidth_bytes_per_s"]
    threshold = Fraction(N - 1, N) * inputs["gradient_bytes"] * Fraction(P) / (2 * Fraction(β))
    if threshold % 1:
        return Fraction(1, 100) < threshold % 1 < Fraction(99, 100)
    sum_s, token_s = 2 * (N - 1) / N * inputs["gradient_bytes"] * inputs["parameters"] / β, 4 * inputs["parameters"] / P
    return N == 2 and sum_s / token_s == threshold == sum_s * P / (4 * inputs["parameters"])


CASES = [
    case(ranks, parameters, tera, gigabytes, gradient_bytes)
    for ranks, parameters in ((2, 10**8), (3, 7 * 10**9), (5, 13 * 10**8), (7, 10**9), (24, 3 * 10**10), (1000, 10**9))
    for tera, gigabytes in ((9, 2), (125, 12), (400, 50), (37, 3), (990, 450), (11, 7))
    for gradient_bytes in (1, 2, 4)
]


def drawn(chance: Random) -> list[Inputs]:
    """Return machines and models whose threshold is clear."""
    found: list[Inputs] = []
    while len(found) < 60:
        one = case(
            chance.choice((2, 3, 4, 7, 8, 24, 100, 1000)),
            chance.randint(1, 300) * 10**8,
            chance.randint(5, 990),
            chance.randint(2, 450),
            chance.choice((1, 2, 4)),
        )
        if is_clear(one):
            found.append(one)
    return found


def taught() -> str:
    own = EXERCISE.examples[-1]
    few, many = (least_tokens(**{**own, "parameters": factor * own["parameters"]}) for factor in (1, 10))
    return (
        f"With {own['parameters'] / 1e9:.2f} billion parameters it is {few:,} tokens, with ten times as many {many:,}. "
        "You do not need the parameters: the backward pass and the all-reduce both grow with them."
    )


EXERCISE = Exercise(
    least_tokens,
    number=2,
    level="easy",
    asked="the fewest tokens of a micro-batch whose backward pass hides the gradients' all-reduce",
    expected=first_that_hides,
    examples=[
        case(2, 10**9, 9, 2, 4),
        case(2, 10**9, 10, 3, 2),
        case(2, 10**10, 9, 2, 4),
        case(64, 1_557_611_200, 125, 12, 2),
    ],
    inputs=[inputs for inputs in CASES if is_clear(inputs)],
    drawn=drawn,
    units={"result": "tokens"},
    taught=taught,
    mistakes=[
        Mistake("rounds_down", "With so many tokens the pass is still a little too short.", {"math.ceil(": "int("}),
        Mistake(
            "adds_one_to_a_whole_number",
            "Where the threshold is a whole number, so many tokens are enough.",
            {"math.ceil(": "1 + int("},
        ),
        Mistake(
            "sends_once",
            "An all-reduce sends every chunk twice, in the reduce-scatter and in the all-gather, and the bandwidth is "
            "that of one direction.",
            {"2 * (ranks - 1)": "(ranks - 1)"},
        ),
        Mistake(
            "forgets_the_own_chunk",
            "A rank sends N − 1 of its N chunks in each half of the ring.",
            {"(ranks - 1) / ranks * ": ""},
        ),
        Mistake(
            "hides_behind_the_whole_step",
            "No gradient is there during the forward pass: only the backward pass hides anything.",
            {"(4 * bandwidth": "(6 * bandwidth"},
        ),
        Mistake(
            "hides_behind_the_forward_pass",
            "The gradients become ready in the backward pass, which takes four operations for a parameter and token.",
            {"(4 * bandwidth": "(2 * bandwidth"},
        ),
        Mistake(
            "counts_bits",
            "The bandwidth is in bytes already.",
            {" * gradient_bytes": " * 8 * gradient_bytes"},
        ),
        Mistake(
            "always_finds_one",
            "This is one token everywhere: is a fraction upside down, or are the parameters on one side only?",
            {"(4 * bandwidth": "(4 * parameters * bandwidth"},
        ),
        Mistake(
            "takes_two_bytes",
            "A gradient has as many bytes as gradient_bytes says, not always 2.",
            {" * gradient_bytes": " * 2"},
        ),
    ],
)
