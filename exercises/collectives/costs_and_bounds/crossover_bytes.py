"""Exercise: the bytes at which two algorithms take the same time."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake

Terms = tuple[float, float]
"""Steps, and bytes on the wire for each byte of the vector."""


def crossover_bytes(
    first: Terms,
    second: Terms,
    *,
    latency_s: float,
    bandwidth_bytes_per_s: float,
) -> float | None:
    """Return the size of the vector at which two algorithms take the same time.

    Args:
        first: steps and bytes on the wire for each byte of the vector, both at
            least 0.
        second: the same of the other algorithm; either of the two may be the
            one with fewer steps.
        latency_s: α, above 0.
        bandwidth_bytes_per_s: β, per direction, above 0.

    Returns:
        Bytes, above 0, not rounded; ``None`` if one algorithm is never slower
        than the other at any size above 0.

    >>> crossover_bytes((1, 2), (5, 1), latency_s=1, bandwidth_bytes_per_s=100)
    400.0
    """
    # Steps saved times α over bytes wasted, if one algorithm saves the one and wastes the other.
    saved, wasted = second[0] - first[0], first[1] - second[1]
    if saved * wasted <= 0:
        return None
    return saved / wasted * latency_s * bandwidth_bytes_per_s


def root_of_the_difference(first: Terms, second: Terms, latency_s: float, bandwidth_bytes_per_s: float) -> float | None:
    """Look at the difference of the two times at 0 and at 1 byte; it is a straight line."""
    steps, share = (Fraction(one) - Fraction(other) for one, other in zip(first, second, strict=True))
    at_0 = steps * Fraction(latency_s)
    at_1 = at_0 + share / Fraction(bandwidth_bytes_per_s)
    if at_0 == at_1:
        return None
    root = at_0 / (at_0 - at_1)
    return float(root) if root > 0 else None


def pair(first: Terms, second: Terms, latency_s: float = 5e-6, bandwidth_bytes_per_s: float = 40e9) -> Inputs:
    machine = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    return {"first": first, "second": second, **machine}


def drawn(chance: Random) -> list[Inputs]:
    """Return pairs of algorithms, with whole steps and quarters of a byte."""

    def terms() -> Terms:
        return chance.randint(0, 12), chance.randint(1, 20) / 4

    return [pair(terms(), terms(), chance.randint(1, 30) * 1e-6, chance.randint(10, 400) * 1e9) for _ in range(80)]


def taught() -> str:
    (steps, tree), (_, halving) = EXERCISE.examples[-1]["first"], EXERCISE.examples[-1]["second"]
    found = crossover_bytes(**EXERCISE.examples[-1])
    return (
        f"At no size: the function returns {found}. On 64 ranks both take {steps} steps; the tree moves {tree:g} bytes "
        f"for each byte of the vector, halving–doubling {halving:.2f}. Two lines cross only if one has fewer steps and "
        "the other fewer bytes."
    )


EXERCISE = Exercise(
    crossover_bytes,
    number=1,
    level="easy",
    asked="the bytes at which both algorithms take the same time, or None",
    expected=root_of_the_difference,
    examples=[
        pair((1, 2.0), (2, 1.0), 1e-6, 1e9),
        pair((3, 3.0), (14, 1.75)),
        pair((14, 1.75), (3, 3.0)),
        pair((3, 1.0), (5, 2.5)),
        pair((1, 1.0), (2, 1.0), 1e-6, 1e9),
        pair((2, 1.0), (2, 3.0), 1e-6, 1e9),
        pair((2, 1.0), (2, 1.0), 1e-6, 1e9),
        pair((12, 1.96875), (14, 1.9375)),
        pair((12, 12.0), (12, 1.96875)),
    ],
    inputs=[
        pair(first, (steps, share), latency_s, 40e9)
        for first in ((3, 2.0), (8, 1.25), (0, 4.5))
        for steps in (0, 2, 5, 12)
        for share in (0.5, 1.25, 3.0, 5.0)
        for latency_s in (2e-6, 15e-6)
    ],
    drawn=drawn,
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "returns_a_negative_size",
            "The lines meet at a negative size here: one algorithm is never slower, so None.",
            {"saved * wasted <= 0": "not wasted"},
        ),
        Mistake(
            "drops_the_sign",
            "One algorithm is never slower here, because it saves in both or they are alike in one: None.",
            {"saved * wasted <= 0": "not wasted", "return saved / wasted": "return abs(saved / wasted)"},
        ),
        Mistake(
            "needs_fewer_steps_first",
            "The algorithms may come in either order: the first need not have fewer steps.",
            {"saved * wasted <= 0": "saved <= 0 or wasted <= 0"},
        ),
        Mistake(
            "turns_the_quotient_over",
            "It is steps saved over bytes wasted, not the other way round.",
            {"saved / wasted": "wasted / saved"},
        ),
        Mistake(
            "divides_by_the_bandwidth",
            "Bytes wasted take time q·n/β: multiply by the bandwidth, do not divide by it.",
            {"* bandwidth": "/ bandwidth"},
        ),
        Mistake(
            "ignores_the_other_bytes",
            "What counts is the difference of the bytes, not those of one algorithm.",
            {"saved / wasted": "abs(saved) / max(first[1], second[1])"},
        ),
        Mistake(
            "counts_bits_at_the_crossover",
            "These are bits; the size is asked in bytes.",
            {"return saved": "return 8 * saved"},
        ),
        Mistake(
            "returns_zero_for_none",
            "Two algorithms that never cross have no size: return None, not 0.",
            {"return None": "return 0.0"},
        ),
        Mistake(
            "is_always_a_kilobyte",
            "This is right for one input only: it does not look at the algorithms.",
            lambda **_: 1000.0,
        ),
    ],
)
