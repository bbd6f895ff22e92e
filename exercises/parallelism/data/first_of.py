"""Exercise: when the first so many of several ranks are ready."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log
from typing import Any

from grader.exercise import Exercise, Mistake


def first_of(
    *,
    fastest_s: float,
    excess_s: float,
    ranks: int,
    awaited: int,
) -> float:
    """Return when, on average, the first `awaited` of `ranks` ranks are ready.

    All ranks start together. Each takes at least ``fastest_s``, and beyond that
    a time of its own, which is exponential with mean ``excess_s``.

    Args:
        fastest_s: what every rank takes at least, in seconds.
        excess_s: the mean of what it takes beyond that.
        ranks: how many ranks there are.
        awaited: how many of them are waited for, from 1 to ``ranks``.

    Returns:
        The mean of that time, in seconds.

    >>> first_of(fastest_s=1.0, excess_s=0.6, ranks=3, awaited=2)
    1.5
    """
    return fastest_s + excess_s * sum(1 / running for running in range(ranks, ranks - awaited, -1))


def by_inclusion_and_exclusion(*, fastest_s: float, excess_s: float, ranks: int, awaited: int) -> float:
    """Write the k-th of N as a sum of fastest ones: the fastest of j ranks takes a j-th of the mean excess."""
    total = Fraction(0)
    for j in range(ranks - awaited + 1, ranks + 1):
        sign = (-1) ** (j - (ranks - awaited) - 1)
        total += sign * comb(j - 1, ranks - awaited) * comb(ranks, j) * Fraction(1, j)
    return float(Fraction(fastest_s) + Fraction(excess_s) * total)


def groups(st: Any) -> Any:
    def of(ranks: int) -> Any:
        return st.fixed_dictionaries(
            {
                "fastest_s": st.sampled_from([0.0, 0.5, 1.0, 3.25]),
                "excess_s": st.sampled_from([0.125, 0.5, 1.0, 6.0]),
                "ranks": st.just(ranks),
                "awaited": st.integers(1, ranks),
            }
        )

    return st.integers(1, 24).flatmap(of)


def group(fastest_s: float, excess_s: float, ranks: int, awaited: int) -> dict[str, Any]:
    return {"fastest_s": fastest_s, "excess_s": excess_s, "ranks": ranks, "awaited": awaited}


def taught() -> str:
    all_s, first_s = (first_of(**group(0.95, 0.05, ranks, 64)) for ranks in (64, 68))
    return (
        f"All 64 of 64 are ready after {all_s:.3f}, the first 64 of 68 after {first_s:.3f}: "
        f"{1 - first_s / all_s:.1%} less, for {4 / 64:.0%} more machines. A step waits longest for the last "
        "few, so that a few spares save much; the price is a gradient without the slowest."
    )


EXERCISE = Exercise(
    first_of,
    number=4,
    level="easy",
    asked="when the first so many of several ranks are ready, on average",
    expected=by_inclusion_and_exclusion,
    examples=[
        group(1.0, 0.6, 3, 2),
        group(1.0, 0.5, 1, 1),
        group(0.0, 1.0, 4, 4),
        group(2.0, 1.0, 5, 1),
        group(1.0, 0.25, 10, 9),
        group(0.95, 0.05, 66, 64),
    ],
    inputs=groups,
    units={"result": "s"},
    taught=taught,
    mistakes=[
        Mistake(
            "waits_for_all",
            "This waits for the slowest: the last ranks, which take longest, are not awaited.",
            {"range(ranks, ranks - awaited, -1)": "range(ranks, 0, -1)"},
        ),
        Mistake(
            "drops_the_spare_ranks",
            "This leaves out the ranks that are not awaited; they run too, and any of them may be among the first.",
            {"range(ranks, ranks - awaited, -1)": "range(awaited, 0, -1)"},
        ),
        Mistake(
            "stops_one_early",
            "This is the time of the rank before.",
            {"range(ranks, ranks - awaited, -1)": "range(ranks, ranks - awaited + 1, -1)"},
        ),
        Mistake(
            "stops_one_late",
            "This waits for one rank more.",
            {"range(ranks, ranks - awaited, -1)": "range(ranks, max(0, ranks - awaited - 1), -1)"},
        ),
        Mistake(
            "takes_the_logarithm",
            "The logarithm comes near the sum where many ranks are awaited and many are left; here it is not exact.",
            lambda fastest_s, excess_s, ranks, awaited: fastest_s + excess_s * log(ranks / (ranks - awaited)),
        ),
        Mistake(
            "forgets_the_minimum",
            "Every rank takes at least fastest_s, before the exponential time begins.",
            {"fastest_s + excess_s": "excess_s"},
        ),
        Mistake(
            "adds_the_minimum_each_time",
            "The minimum passes once, for all ranks at the same time.",
            {"excess_s * sum(1 / running": "sum(excess_s / running", "fastest_s + ": "fastest_s * awaited + "},
        ),
        Mistake(
            "takes_equal_steps",
            "Only the first comes after excess_s / ranks; then fewer run, and the next takes longer.",
            {"sum(1 / running for running in range(ranks, ranks - awaited, -1))": "awaited / ranks"},
        ),
    ],
)
