"""Exercise: round numbers up or down at random, so that each is right on average."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def fair_integers(
    values: list[float],
    *,
    step: float,
    draws: list[float],
) -> list[int]:
    """Round numbers to integers times a step, up or down at random.

    A number that lies a share of the way from one line of the grid up to the
    next goes up if its draw is below that share, and down otherwise. So it's
    right on average.

    Args:
        values: any numbers, negative ones too.
        step: of the grid, above 0.
        draws: for each number one, at least 0 and below 1.

    Returns:
        For each number the integer of its line.

    >>> fair_integers([0.75, 0.75, -0.25], step=1.0, draws=[0.7, 0.8, 0.7])
    [1, 0, 0]
    """
    result = []
    for value, draw in zip(values, draws, strict=True):
        below = math.floor(value / step)
        share = value / step - below
        result.append(below + (1 if draw < share else 0))
    return result


def counted_lines(*, values: list[float], step: float, draws: list[float]) -> list[int]:
    """Walk along the grid in fractions, line by line, from far below."""
    found = []
    for value, draw in zip(values, draws, strict=True):
        place = Fraction(value) / Fraction(step)
        line = -int(abs(place)) - 2
        while line + 1 <= place:
            line += 1
        found.append(line + 1 if Fraction(draw) + line < place else line)
    return found


given = inputs_for(fair_integers)
SMALL = [-2.5, -2.0, -1.75, -1.0, -0.25, 0.0, 0.125, 0.5, 1.0, 1.5, 2.875]


def _drawn(chance: Random) -> list[Inputs]:
    """Return numbers, steps and draws that floats hold exactly."""
    found = []
    for step in (1.0, 0.5, 0.25, 2.0, 8.0):
        values = [chance.randrange(-400, 400) / 16 * step for _ in range(8)]
        found.append(given(values, step, [chance.randrange(64) / 64 for _ in values]))
    return found


INPUTS: list[Inputs] = [
    given(SMALL, 1.0, [0.0] * len(SMALL)),
    given(SMALL, 1.0, [0.5] * len(SMALL)),
    given(SMALL, 1.0, [0.25] * len(SMALL)),
    given(SMALL, 1.0, [0.984375] * len(SMALL)),
    given(SMALL, 0.5, [0.25] * len(SMALL)),
    given(SMALL, 2.0, [0.75] * len(SMALL)),
    given([], 1.0, []),
    given([1000.25, -1000.25, 70000.5], 0.5, [0.49, 0.5, 0.0]),
    given([-4.5, -1.25, 0.75, 1.5, 2.25, 4.125], 1.5, [0.4375] * 6),
    given([-5.0, -1.25, 0.625, 2.5, 3.75, 6.875], 2.5, [0.5625] * 6),
    given([0.50390625, 0.49609375, -0.50390625, 7.00390625], 1.0, [0.5, 0.49609375, 0.49609375, 0.00390625]),
    given([0.5009765625, -0.4990234375], 1.0, [0.5, 0.5]),
    *_drawn(Random(30)),
]

EXERCISE = Exercise(
    fair_integers,
    number=1,
    level="easy",
    asked="integers that are right on average",
    expected=counted_lines,
    examples=[
        given([0.75, 0.75, -0.25], 1.0, [0.7, 0.8, 0.7]),
        given([0.25, -1.0], 0.5, [0.25, 0.0]),
        given([0.3125, -0.1875, 0.5, 0.125, -0.4375, 0.1875, 8.0, -0.3125], 0.25, [0.5] * 8),
    ],
    inputs=INPUTS,
    drawn=_drawn,
    mistakes=[
        Mistake(
            "rounds_to_the_nearest",
            "You rounded to the nearest line, whatever the draw. Small numbers are then zero in every step.",
            {"(1 if draw < share else 0)": "(1 if share > 0.5 else 0)"},
        ),
        Mistake(
            "rounds_halves_up",
            "You rounded to the nearest line, whatever the draw. Small numbers are then zero in every step.",
            {"(1 if draw < share else 0)": "(1 if share >= 0.5 else 0)"},
        ),
        Mistake(
            "rounds_halves_to_even",
            "You rounded to the nearest line, whatever the draw. Small numbers are then zero in every step.",
            {"below + (1 if draw < share else 0)": "round(value / step)"},
        ),
        Mistake(
            "cuts_towards_zero",
            "You cut towards zero. For a negative number the line below is further from zero.",
            {"math.floor(value / step)": "int(value / step)"},
        ),
        Mistake(
            "turns_the_draw_around",
            "You go up if the draw is above the share. A number close to the upper line would then rarely get there.",
            {"draw < share": "draw > share"},
        ),
        Mistake(
            "moves_what_is_on_the_grid",
            "You go up where draw and share are equal. A number on the grid would move if its draw is 0.",
            {"draw < share": "draw <= share"},
        ),
        Mistake(
            "forgets_the_step",
            "You rounded to whole numbers, whatever the step.",
            {"math.floor(value / step)": "math.floor(value)", "value / step - below": "value - below"},
        ),
        Mistake(
            "returns_numbers",
            "You returned the numbers on the grid. The integers are sent, and the receiver multiplies.",
            {"below + (1 if draw < share else 0)": "int(step * (below + (1 if draw < share else 0)))"},
        ),
        Mistake(
            "returns_numbers_of_the_grid",
            "You returned the numbers on the grid. The integers are sent, and the receiver multiplies.",
            {"below + (1 if draw < share else 0)": "step * (below + (1 if draw < share else 0))"},
        ),
        Mistake(
            "always_goes_down",
            "You took the line below every time. That's a bias: every number shrinks or falls.",
            {"(1 if draw < share else 0)": "0"},
        ),
        Mistake(
            "goes_up_half_of_the_time",
            "You go up if the draw is below a half. How often has to depend on how close the upper line is.",
            {"draw < share": "share > 0 and draw < 0.5"},
        ),
        Mistake(
            "goes_up_by_the_draw_alone",
            "You go up if the draw is below a half. How often has to depend on how close the upper line is.",
            {"draw < share": "draw < 0.5"},
        ),
        Mistake(
            "adds_the_draw",
            "You go up if the draw is above one less the share, as often as you should. Go up if it's below the share.",
            {"below + (1 if draw < share else 0)": "math.floor(value / step + draw)"},
        ),
        Mistake(
            "leaves_the_share_in_units",
            "You compared the draw with a distance in the numbers' own unit. Divide it by the step.",
            {"value / step - below": "value - below * step"},
        ),
    ],
)
