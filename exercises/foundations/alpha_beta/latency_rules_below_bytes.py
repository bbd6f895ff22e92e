"""Exercise: the size below which latency rules a ring all-reduce."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from grader.exercise import Exercise, Inputs, Mistake
from snippets.collectives.schedule_cost import price_schedule
from snippets.simulation.algorithms import build_collective


def latency_rules_below_bytes(
    *,
    ranks: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
) -> float:
    """Return the size below which latency rules a ring all-reduce.

    Below it, more than half of the all-reduce's time is latency.

    Args:
        ranks: number of ranks R, at least 2; the n bytes are cut into R
            equal parts.
        latency_s: α of a message.
        bandwidth_bytes_per_s: β of a link, per direction.

    Returns:
        Bytes of the whole all-reduce, n.

    >>> latency_rules_below_bytes(
    ...     ranks=4, latency_s=2.0, bandwidth_bytes_per_s=3.0
    ... )
    24.0
    """
    # A round waits α and moves n / (Rβ); both are alike at n = Rαβ.
    return ranks * latency_s * bandwidth_bytes_per_s


@cache
def ring_line(ranks: int) -> tuple[int, Fraction]:
    """Steps and bytes on the wire for each byte of the vector, counted on the messages of a ring all-reduce."""
    ring = build_collective("all_reduce", "ring", ranks=ranks, length=ranks)
    terms = price_schedule(ring, element_bytes=1, latency_s=1.0, bandwidth_bytes_per_s=1.0).terms
    return terms.steps, Fraction(terms.wire_bytes, ranks)


def equal_halves_bytes(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Where the seconds that a priced ring waits are those for which it moves."""
    steps, bytes_each = ring_line(ranks)
    return float(steps * Fraction(latency_s) * Fraction(bandwidth_bytes_per_s) / bytes_each)


def ring(ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> Inputs:
    return {"ranks": ranks, "latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}


def taught() -> str:
    equal = latency_rules_below_bytes(ranks=256, latency_s=5e-6, bandwidth_bytes_per_s=50e9)
    bucket = 25 * 2**20
    return (
        f"It is {equal / 1e6:.0f} MB. A bucket of 25 MiB goes in pieces of {bucket / 256 / 1e3:.0f} kB, and "
        f"{equal / (equal + bucket):.0%} of its time is latency: on so many ranks such buckets are too small for a "
        "ring."
    )


EXERCISE = Exercise(
    latency_rules_below_bytes,
    number=1,
    level="easy",
    asked="the bytes below which more than half of a ring all-reduce's time is latency",
    expected=equal_halves_bytes,
    examples=[ring(3, 2e-6, 1e9), ring(2, 1e-6, 1e9), ring(8, 5e-6, 50e9), ring(64, 2e-6, 25e9), ring(256, 5e-6, 50e9)],
    inputs=lambda st: {
        "ranks": st.integers(2, 16),
        "latency_s": st.integers(1, 20).map(lambda us: us * 1e-6),
        "bandwidth_bytes_per_s": st.integers(1, 50).map(lambda gb: gb * 1e9),
    },
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_cut", "This is one message's size; a ring cuts the n bytes into R of them.", {"ranks * ": ""}
        ),
        Mistake(
            "counts_the_steps_waits_only",
            "The number of rounds cancels: every round both waits and moves.",
            {"ranks * ": "2 * (ranks - 1) * "},
        ),
        Mistake("cuts_into_one_part_less", "A ring makes R parts, not R − 1.", {"ranks * ": "(ranks - 1) * "}),
        Mistake("counts_bits_of_the_ring", "These are bits.", {"ranks * ": "8 * ranks * "}),
        Mistake(
            "divides_by_the_bandwidth",
            "Seconds over bytes per second are no bytes: multiply α by β.",
            {"latency_s * bandwidth": "latency_s / bandwidth"},
        ),
        Mistake(
            "divides_by_the_ranks",
            "A round's message is n/R, so n is R times αβ, not a part of it.",
            {"ranks * ": "1 / ranks * "},
        ),
    ],
)
