"""Exercise: the smallest batch that is near enough to the full gradient."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from typing import Any

from grader.exercise import Exercise, Mistake


def batch_for_error(
    *,
    variance: float,
    error: float,
    population: int | None = None,
) -> int:
    """Return the smallest batch whose gradient is near enough to the full one.

    Near enough: its root-mean-square distance is at most ``error``.

    Args:
        variance: σ² of one example's gradient, at least 0; it divides by Z.
        error: the largest distance that is allowed, above 0.
        population: Z, if examples are drawn without replacement; ``None`` for
            draws with replacement.

    Returns:
        B, at least 1; without replacement at most Z.

    >>> batch_for_error(variance=9.0625, error=0.5)
    37
    """
    # Solve σ²/B·(Z − B)/(Z − 1) ≤ τ² for B; with replacement the second fraction is 1.
    if variance == 0:
        return 1
    batch = variance / error**2
    if population is not None:
        batch = population * batch / (population - 1 + batch)
    return math.ceil(batch)


def excess(batch: int, variance: float, error: float, population: int | None = None) -> Fraction:
    """Return by how much σ²/B, without replacement times (Z − B)/(Z − 1), is above τ², times B."""
    share = 1 if population is None else Fraction(population - batch, max(1, population - 1))
    return Fraction(variance) * share - Fraction(error) ** 2 * batch


def first_batch(**inputs: Any) -> int:
    """Search for the first batch that is near enough, in exact arithmetic."""
    return bisect_left(range(10**5), True, key=lambda batch: batch > 0 and excess(batch, **inputs) <= 0)


def wanted_batches(st: Any) -> Any:
    """Return inputs at which no batch reaches the error exactly, where rounding would decide."""
    drawn = {
        "variance": st.integers(1, 320).map(lambda sixteenths: sixteenths / 16),
        "error": st.sampled_from([0.5, 0.75, 1.0, 2.0]),
        "population": st.none() | st.integers(2, 40),
    }
    return st.fixed_dictionaries(drawn).filter(lambda one: excess(first_batch(**one), **one))


def taught() -> str:
    own: dict[str, Any] = {"variance": 4437.97, "error": 0.72507}
    drawn, without = batch_for_error(**own), batch_for_error(**own, population=50_000)
    return (
        f"With replacement it is {drawn:,} examples, without {without:,}: not to draw one twice saves "
        f"{1 - without / drawn:.0%} where the batch is {without / 50_000:.0%} of the data. For small batches it hardly "
        "matters."
    )


EXERCISE = Exercise(
    batch_for_error,
    number=1,
    level="easy",
    asked="the smallest batch whose root-mean-square distance from the full gradient is at most the error",
    expected=first_batch,
    examples=[
        {"variance": 9.0625, "error": 0.5, "population": None},
        {"variance": 9.0625, "error": 0.5, "population": 20},
        {"variance": 16.0, "error": 2.0},
        {"variance": 1.0, "error": 0.5, "population": None},
        {"variance": 9.0, "error": 0.5, "population": 1},
        {"variance": 0.0, "error": 0.5, "population": 1},
        {"variance": 0.0, "error": 0.5, "population": None},
        {"variance": 0.0, "error": 0.5},
        {"variance": 0.0, "error": 0.5, "population": 7},
        {"variance": 36.0005, "error": 1.0, "population": None},
        {"variance": 2.5, "error": 1.0, "population": 4},
        {"variance": 3.0, "error": 1.0, "population": 4},
        {"variance": 64.0, "error": 1.0, "population": 1_000},
        {"variance": 2.5, "error": 1.0, "population": 8},
        {"variance": 20.5, "error": 2.0, "population": 16},
        {"variance": 4437.97, "error": 0.72507, "population": None},
        {"variance": 4437.97, "error": 0.72507, "population": 50_000},
    ],
    inputs=wanted_batches,
    units={"result": "examples"},
    taught=taught,
    mistakes=[
        Mistake(
            "rounds_down",
            "This rounds down, and the batch is one too small: it must reach the error.",
            {"math.ceil(batch)": "max(1, math.floor(batch))"},
        ),
        Mistake(
            "goes_below_the_error",
            "The error is allowed itself: where a batch is off by just that, you took one example more.",
            {"math.ceil(batch)": "min(math.floor(batch) + 1, population or math.inf)"},
        ),
        Mistake(
            "leaves_small_batches_to_the_rule_of_thumb",
            "You left the factor away where the batch is a small part of the data. It's then near 1, but the smallest "
            "batch is asked for.",
            {"if population is not None": "if population is not None and batch > population / 10"},
        ),
        Mistake(
            "forgets_to_square",
            "You compared the variance with the error itself: a variance is a squared distance, so square the error.",
            {"error**2": "error"},
        ),
        Mistake(
            "ignores_the_population",
            "Without replacement a smaller batch is enough: use the finite-population factor.",
            {"if population is not None": "if False"},
        ),
        Mistake(
            "takes_at_most_all",
            "To take at most Z examples is not enough: without replacement a smaller batch is near enough, by the "
            "finite-population factor.",
            {"batch = population * batch / (population - 1 + batch)": "batch = min(population, batch)"},
        ),
        Mistake(
            "rounds_up_too_early",
            "Round up once, at the end: you rounded the batch with replacement, and only then applied the factor.",
            {"batch = variance / error**2": "batch = math.ceil(variance / error**2)"},
        ),
        Mistake(
            "divides_by_the_population",
            "The finite-population factor is (Z − B)/(Z − 1) for a σ² that divides by Z; you took (Z − B)/Z.",
            {"population - 1 + batch": "population + batch"},
        ),
        Mistake(
            "takes_the_root",
            "The error falls with the root of B: twice as near takes four times the batch, not twice.",
            {"ceil(batch)": "ceil(math.sqrt(batch))"},
        ),
    ],
)
