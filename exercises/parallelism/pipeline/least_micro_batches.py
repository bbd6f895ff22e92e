"""Exercise: the fewest micro-batches whose bubble is below a limit."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from random import Random

from grader.exercise import Exercise, Inputs, Mistake


def least_micro_batches(
    *,
    stages: int,
    bubble: Fraction,
    chunks: int = 1,
) -> int:
    """Return the fewest micro-batches whose bubble is strictly below a limit.

    Args:
        stages: number of stages, at least 1.
        bubble: the limit, as a share of the step's time, above 0 and below 1.
        chunks: model chunks on each device; above 1, the schedule is
            interleaved 1F1B, which needs at least as many micro-batches as
            there are stages.

    Returns:
        Micro-batches of a step, at least 1.

    >>> least_micro_batches(stages=2, bubble=Fraction(1, 3))
    3
    """
    # (p − 1)/(vm + p − 1) < ρ, solved for m; the first integer above a threshold is its floor and one.
    threshold = (stages - 1) * (1 - bubble) / (bubble * chunks)
    least = int(threshold) + 1
    return max(least, stages) if chunks > 1 else least


def first_below(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    """Try one number of micro-batches after the other."""
    numbers = count(stages if chunks > 1 else 1)
    return next(m for m in numbers if Fraction(stages - 1, chunks * m + stages - 1) < bubble)


def limit(stages: int, numerator: int, denominator: int, chunks: int = 1) -> Inputs:
    return {"stages": stages, "bubble": Fraction(numerator, denominator), "chunks": chunks}


def just_met(stages: int, micro_batches: int, parts: int) -> Inputs:
    """Return a limit that the bubble has with one part of so many less than a number of micro-batches."""
    idle = (stages - 1) * parts
    return limit(stages, idle, idle + micro_batches * parts - 1)


def drawn(chance: Random) -> list[Inputs]:
    """Return limits from a twentieth to nine tenths of the step, and some that are met a hair below a whole number."""
    found = [just_met(chance.randint(2, 9), chance.randint(2, 9), 10**digits) for digits in (10, 10, 17, 17)]
    for _ in range(60):
        denominator = chance.randint(3, 20)
        numerator = chance.randint(1, denominator - 1)
        found.append(limit(chance.randint(1, 9), numerator, denominator, chance.randint(1, 3)))
    return found


def taught() -> str:
    exact, by_float = (least_micro_batches(stages=8, bubble=Fraction(limit)) for limit in ("1/20", 0.05))
    return (
        f"With 8 stages and a limit of 1/20 it takes {exact} micro-batches: with {exact - 1} the bubble is exactly "
        f"1/20. The float 0.05 is a little more than 1/20, and with it {by_float} come out. Where a limit is met "
        "exactly, rounding decides."
    )


EXERCISE = Exercise(
    least_micro_batches,
    number=1,
    level="easy",
    asked="the fewest micro-batches whose bubble is strictly below a limit",
    expected=first_below,
    examples=[
        {"stages": 3, "bubble": Fraction(1, 3)},
        limit(1, 1, 2),
        limit(4, 2, 3, chunks=2),
        limit(8, 1, 20, chunks=2),
        limit(2, 10**7, 2 * 10**7 - 1),
        limit(8, 1, 20),
    ],
    inputs=[
        *(
            limit(stages, numerator, denominator, chunks)
            for stages in (1, 2, 3, 5, 8)
            for numerator, denominator in ((1, 2), (1, 3), (2, 3), (1, 7), (3, 10), (1, 20), (7, 9))
            for chunks in (1, 2)
        ),
        *(limit(stages, 1, denominator, 3) for stages in (2, 3, 5, 8) for denominator in (7, 12, 20)),
        # large counts and thresholds a hair below an integer, where no float that is patched finds the integer
        limit(18, 1, 1000),
        limit(33, 1, 1000),
        limit(2, 10**10, 2 * 10**10 - 1),
        limit(2, 10**17, 2 * 10**17 - 1),
    ],
    drawn=drawn,
    units={"result": "micro-batches"},
    taught=taught,
    mistakes=[
        Mistake(
            "allows_the_limit_itself",
            "A bubble that equals the limit is not below it.",
            {"int(threshold) + 1": "max(1, int(-(-threshold // 1)))"},
        ),
        Mistake(
            "takes_the_overhead",
            "This compares the bubble with the time of work, (p − 1)/(vm); the limit is a share of the whole step, "
            "(p − 1)/(vm + p − 1).",
            {" * (1 - bubble)": ""},
        ),
        Mistake("waits_for_every_stage", "p stages wait p − 1 times, not p times.", {"(stages - 1)": "stages"}),
        Mistake(
            "forgets_the_chunks",
            "The chunks are not used: v chunks make the bubble v times as short.",
            {"(bubble * chunks)": "bubble"},
        ),
        Mistake(
            "interleaves_too_few",
            "Interleaving needs at least as many micro-batches as there are stages.",
            {"max(least, stages) if chunks > 1 else least": "least"},
        ),
        Mistake(
            "rounds_to_a_multiple_of_the_stages",
            "Interleaving needs at least as many micro-batches as stages here; that they are a multiple is Megatron's "
            "rule.",
            {"max(least, stages) if": "-(-least // stages) * stages if"},
        ),
        Mistake(
            "takes_a_little_off_a_float",
            "A float misses the integer that decides: 0.05 is not 1/20. Stay with fractions to the end.",
            {"int(threshold) + 1": "int(float(threshold) + 1e-6) + 1"},
        ),
        Mistake(
            "adds_a_little_to_a_float",
            "A float misses the integer that decides: 0.05 is not 1/20. Stay with fractions to the end.",
            {"int(threshold) + 1": "max(1, int(-(-(float(threshold) + 1e-12) // 1)))"},
        ),
        Mistake(
            "rounds_a_float",
            "A float misses the integer that decides: 0.05 is not 1/20. Stay with fractions to the end.",
            {"int(threshold) + 1": "int(round(float(threshold), 9)) + 1"},
        ),
        Mistake(
            "divides_the_share_by_the_chunks",
            "v chunks divide the idle time by v, not its share of the step: the step becomes shorter too, and the "
            "share is (p − 1)/(vm + p − 1).",
            {"(1 - bubble) / (bubble * chunks)": "(1 - bubble * chunks) / (bubble * chunks)"},
        ),
        Mistake(
            "rounds_on_the_way",
            "A float misses the integer that decides: 0.05 is not 1/20. Stay with fractions to the end.",
            {"(1 - bubble) / (bubble * chunks)": "(1 - float(bubble)) / (float(bubble) * chunks)"},
        ),
    ],
)
