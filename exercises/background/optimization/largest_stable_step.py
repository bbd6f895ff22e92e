"""Exercise: the step size at which descent with momentum stops converging."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from random import Random

from grader.exercise import Exercise, Inputs, Mistake


def largest_stable_step(
    hessian: Sequence[Sequence[float]],
    *,
    momentum: float,
) -> float:
    """Return the step size at which descent with momentum stops converging.

    The loss is a quadratic of two parameters.

    Args:
        hessian: the rows of H, 2 × 2, symmetric, with both curvatures above 0.
        momentum: μ, at least 0 and below 1; f ← μf + g, θ ← θ − ηf.

    Returns:
        The bound: every step size η above 0 and below it converges from every
        start, no step size above it does.

    >>> largest_stable_step([[1.0, 0.0], [0.0, 100.0]], momentum=0.5)
    0.03
    """
    # A root leaves the unit disc at −1, and first in the direction of the largest curvature.
    (first, mixed), (_, second) = hessian
    largest = (first + second) / 2 + math.hypot((first - second) / 2, mixed)
    return 2 * (1 + momentum) / largest


def border_of_descents(hessian: Sequence[Sequence[float]], momentum: float) -> float:
    """Search for the step size from which on descents diverge, after 1, 2, 4, … steps, until it is clear."""
    import numpy as np

    unit = 4 / max(hessian[0][0], hessian[1][1]) / 2**40
    still = np.block([[(1 + momentum) * np.eye(2), -momentum * np.eye(2)], [np.eye(2), np.zeros((2, 2))]])
    pull = np.pad(np.array(hessian), (0, 2))

    def diverges(steps: int) -> bool:
        advance, size = still - steps * unit * pull, 1.0
        for _ in range(40):
            if 1e-8 < size < 1e8:
                advance = advance @ advance
                size = float(np.abs(advance).max())
        return size >= 1e8

    return round(bisect_left(range(2**40), True, key=diverges) * unit, 9)


def _eigenvalue(hessian: Sequence[Sequence[float]], sign: int) -> float:
    (first, mixed), (_, second) = hessian
    return (first + second) / 2 + sign * math.hypot((first - second) / 2, mixed)


def drawn(chance: Random) -> list[Inputs]:
    """Return Hessians of positive curvatures, with and without momentum."""
    found: list[Inputs] = []
    for _ in range(50):
        x, y, z = chance.randint(2, 8) / 2, chance.randint(-8, 8) / 2, chance.randint(2, 6) / 2
        hessian = [[x * x, x * y], [x * y, y * y + z * z]]
        found.append({"hessian": hessian, "momentum": chance.choice((0.0, 0.3, 0.5, 0.8, 0.9))})
    return found


EXERCISE = Exercise(
    largest_stable_step,
    number=6,
    level="hard",
    asked="the step size at which descent with momentum stops converging on a quadratic with this Hessian",
    expected=border_of_descents,
    examples=[
        {"hessian": [[1.0, 0.0], [0.0, 100.0]], "momentum": 0.5},
        {"hessian": [[1.0, 0.0], [0.0, 100.0]], "momentum": 0.0},
        {"hessian": [[1.0, 0.0], [0.0, 1.0]], "momentum": 0.0},
        {"hessian": [[2.0, 1.0], [1.0, 2.0]], "momentum": 0.5},
        {"hessian": [[5.0, -4.0], [-4.0, 5.0]], "momentum": 0.9},
    ],
    inputs=[
        {"hessian": [[x * x, x * y], [x * y, y * y + z * z]], "momentum": momentum}
        for x in (1.0, 2.0, 3.0)
        for y in (-3.0, -1.0, 0.0, 2.0)
        for z in (1.0, 2.0)
        for momentum in (0.0, 0.5, 0.9)
    ]
    + [  # two curvatures that are close to each other
        {"hessian": hessian, "momentum": momentum}
        for hessian in ([[2.0, 0.0], [0.0, 1.9]], [[3.0, 0.02], [0.02, 3.01]])
        for momentum in (0.3, 0.8)
    ]
    + [{"hessian": [[2000.0, 300.0], [300.0, 1000.0]], "momentum": 0.7}],  # a border that has to keep its digits
    drawn=drawn,
    relative_tolerance=1e-5,
    mistakes=[
        Mistake(
            "forgets_the_momentum",
            "This is the bound without momentum; with momentum the step may be larger.",
            {" * (1 + momentum)": ""},
        ),
        Mistake(
            "subtracts_the_momentum",
            "Momentum raises the bound: the factor is 1 + μ, not 1 − μ.",
            {"1 + momentum": "1 - momentum"},
        ),
        Mistake(
            "lengthens_by_the_sum",
            "Momentum does not multiply the step that is allowed by 1/(1 − μ): a root leaves the unit disc at −1, at "
            "2(1 + μ)/λ.",
            {"* (1 + momentum)": "/ (1 - momentum)"},
        ),
        Mistake(
            "stops_where_it_overshoots",
            "The factor 2 is forgotten: beyond 1/λ a direction overshoots, and it still converges.",
            {"2 * (1 + momentum)": "(1 + momentum)"},
        ),
        Mistake(
            "takes_the_smallest_curvature",
            "This is the bound of the flattest direction; the steepest one diverges long before.",
            {"+ math.hypot": "- math.hypot"},
        ),
        Mistake(
            "takes_the_diagonal",
            "The diagonal holds the curvatures only where H has no other entries; take the largest eigenvalue.",
            {"(first + second) / 2 + math.hypot((first - second) / 2, mixed)": "max(first, second)"},
        ),
        Mistake(
            "takes_the_end_of_the_window",
            "This is the end of the window in which the roots are a complex pair. Beyond it they are real, and "
            "both still inside the unit disc, until one is −1.",
            {"2 * (1 + momentum)": "(1 + momentum**0.5) ** 2"},
        ),
        Mistake(
            "takes_the_end_of_the_window_without_the_root",
            "The window's end has √μ, not μ. And it is where the roots stop being a complex pair; descent "
            "converges beyond it, until a root is −1.",
            {"2 * (1 + momentum)": "(1 + momentum) ** 2"},
        ),
        Mistake(
            "takes_the_best_step",
            "This is the step size of the best pair of step size and momentum; asked is the largest that converges at "
            "the momentum that is given.",
            lambda hessian, momentum: 4 / sum(math.sqrt(_eigenvalue(hessian, sign)) for sign in (-1, 1)) ** 2,
        ),
    ],
)
