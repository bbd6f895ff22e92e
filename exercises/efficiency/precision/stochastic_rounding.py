"""Exercise: rounding at random to a grid of unequal gaps, so that the mean is the number."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.efficiency.precision.formats import format_values, neighbours_in_format

DRAWS = 16
DRAWN = [(place + 0.5) / DRAWS for place in range(DRAWS)]


def stochastic_rounding(
    *,
    value: float,
    grid: Sequence[float],
    drawn: Sequence[float],
) -> list[float]:
    """Round a number to a grid at random, once for each random number drawn.

    A number of the grid stays. Any other goes to one of its two neighbours,
    so that the mean over all random numbers is the number itself.

    Args:
        value: from the grid's first number to its last.
        grid: at least two different numbers, ascending; the gaps may differ.
        drawn: random numbers, each from 0 to below 1.

    Returns:
        For each random number what it rounds the value to. It depends on this
        random number alone, not on the others.

    >>> draws = [0.125, 0.375, 0.625, 0.875]
    >>> rounded = stochastic_rounding(value=2.25, grid=[2.0, 3.0], drawn=draws)
    >>> sorted(rounded)
    [2.0, 2.0, 2.0, 3.0]
    """
    place = min(bisect_right(grid, value), len(grid) - 1)
    low, high = grid[place - 1], grid[place]
    share = (value - low) / (high - low)
    return [high if number < share else low for number in drawn]


def seen(
    function: Callable[..., Sequence[float]], *, value: float, grid: Sequence[float], drawn: Sequence[float]
) -> Observation:
    """Round with the random numbers in order, in reverse and one by one; nothing is sampled, they are even."""
    there = list(function(value=value, grid=list(grid), drawn=list(drawn)))
    back = list(function(value=value, grid=list(grid), drawn=list(drawn)[::-1]))[::-1]
    alone = [result for number in drawn for result in function(value=value, grid=list(grid), drawn=[number])]
    below = max(number for number in grid if number <= value)
    above = min(number for number in grid if number >= value)
    return {
        "results": len(there),
        "results that are no neighbour": sum(number not in (below, above) for number in there),
        "results that change with the order": sum(one != other for one, other in zip(there, back, strict=False)),
        "results that change with the other numbers": sum(
            one != other for one, other in zip(there, alone, strict=False)
        ),
        "mean of the results": float(sum(map(Fraction, there)) / max(1, len(there))),
    }


def unbiased(*, value: float, grid: Sequence[float], drawn: Sequence[float]) -> Observation:
    """What unbiased means: neighbours alone, and the number itself as their mean."""
    return {
        "results": len(drawn),
        "results that are no neighbour": 0,
        "results that change with the order": 0,
        "results that change with the other numbers": 0,
        "mean of the results": value,
    }


def rounding(value: float, grid: Sequence[float], draws: int = DRAWS) -> Inputs:
    """Return an input with even random numbers; they begin at 0 where the value is on the grid and has to stay."""
    first = 0 if value in grid else 0.5
    return {"value": value, "grid": list(grid), "drawn": [(place + first) / draws for place in range(draws)]}


FP4 = list(format_values("e2m1"))


def drawn_inputs(chance: Random) -> list[Inputs]:
    """Return numbers between those of a grid, at a multiple of a sixteenth of the gap: their mean is exact."""
    found = []
    for _ in range(60):
        grid = sorted(chance.sample(range(-24, 25), chance.randint(2, 7)))
        place, part = chance.randrange(len(grid) - 1), chance.randrange(DRAWS + 1)
        value = grid[place] + (grid[place + 1] - grid[place]) * part / DRAWS
        found.append(rounding(value, [float(number) for number in grid]))
    return found


def taught() -> str:
    value = 4.5
    below, above = neighbours_in_format(value, number_format="e2m1")
    results = stochastic_rounding(value=value, grid=FP4, drawn=DRAWN)
    return (
        f"In the 4-bit format {value:g} becomes {above:g} in {results.count(above)} of {len(results)} draws and "
        f"{below:g} in all others, and the mean is kept. Rounded to nearest it would be 4 every "
        "time: an error that no number of steps averages away."
    )


def changed(rule: Callable[..., float]) -> Callable[..., list[float]]:
    """Return an answer that rounds by a rule of a value, its neighbours, the first gap and one random number."""

    def wrong(*, value: float, grid: Sequence[float], drawn: Sequence[float]) -> list[float]:
        place = bisect_left(grid, value)
        low, high = (value, value) if grid[place] == value else (grid[place - 1], grid[place])
        return [rule(value, low, high, grid, number) for number in drawn]

    return wrong


def nearest(value: float, low: float, high: float, *_: Any) -> float:
    return low if value - low <= high - value else high


def dithered(value: float, low: float, high: float, grid: Sequence[float], number: float) -> float:
    moved = value + (number - 0.5) * (high - low)
    return min(grid, key=lambda point: abs(point - moved))


EXERCISE = Exercise(
    stochastic_rounding,
    number=2,
    level="medium",
    asked="a number rounded to a grid at random, so that the mean is the number",
    expected=unbiased,
    observe=seen,
    examples=[
        rounding(2.25, [2.0, 3.0], 4),
        rounding(2.0, [2.0, 3.0], 4),
        rounding(-2.25, [-3.0, -2.0, 0.0, 1.0], 4),
        rounding(6.0, FP4),
        rounding(-6.0, FP4),
        rounding(4.5, FP4),
    ],
    inputs=[rounding(low + (high - low) * part / DRAWS, FP4) for low, high in pairwise(FP4) for part in (0, 3, 8, 15)]
    + drawn_inputs(Random(32)),
    drawn=drawn_inputs,
    taught=taught,
    mistakes=[
        Mistake(
            "rounds_to_nearest",
            "This rounds to nearest. The result must be right on average, not each time.",
            changed(nearest),
        ),
        Mistake(
            "tosses_a_coin",
            "You take either neighbour with the same probability. The nearer one must come more often.",
            {"number < share": "number < 0.5"},
        ),
        Mistake(
            "swaps_the_probabilities",
            "You go up with the probability of going down. The nearer neighbour must come more often, not less.",
            {"number < share": "number < 1 - share"},
        ),
        Mistake(
            "cuts_off",
            "This always takes the neighbour below, so that the mean is too low.",
            {"high if number < share else low": "low"},
        ),
        Mistake(
            "rounds_up",
            "This always takes the neighbour above, so that the mean is too high.",
            {"high if number < share else low": "high"},
        ),
        Mistake(
            "moves_a_number_of_the_grid",
            "A random number may be 0, and then this moves a number of the grid, whose probability to go up is 0.",
            {"number < share": "number <= share"},
        ),
        Mistake(
            "takes_the_first_gap_for_all",
            "You divided by the grid's first gap. Gaps differ: divide by the one that the number lies in.",
            {"/ (high - low)": "/ (grid[1] - grid[0])"},
        ),
        Mistake(
            "forgets_to_divide",
            "The distance from the lower neighbour is no probability. Divide it by the gap.",
            {" / (high - low)": ""},
        ),
        Mistake(
            "mirrors_negative_numbers",
            "Below 0 you go up with the probability of going down: measure from the lower neighbour there too.",
            {"(value - low)": "((value - low) if value > 0 else (high - value))"},
        ),
        Mistake(
            "adds_noise_and_rounds_to_nearest",
            "Noise before rounding to nearest is right only where all gaps are equal.",
            changed(dithered),
        ),
        Mistake(
            "draws_once_for_all",
            "You used the first random number for all. Each result has one of its own.",
            {"number < share": "drawn[0] < share"},
        ),
    ],
)
