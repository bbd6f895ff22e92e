"""Exercise: the largest curvature of a loss that can only be differentiated."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from grader.exercise import Exercise, Mistake

Vector = list[float]
"""One number per parameter."""


def largest_curvature(
    gradient: Callable[[Vector], Vector],
    *,
    at: Vector,
    start: Vector,
    iterations: int,
    distance: float = 1e-4,
) -> float:
    """Measure the largest curvature of a loss at a point, from gradients alone.

    Begin with the direction ``start``; again and again scale it to length 1 and
    multiply it by the Hessian H, which the difference of two gradients gives.

    Args:
        gradient: the gradient of the loss; takes d numbers and returns d.
        at: the point θ, d numbers.
        start: the first direction, d numbers that are not all 0.
        iterations: how many products with H, at least 1.
        distance: χ, between the two points of a difference, above 0.

    Returns:
        δᵀHδ of the last direction δ of length 1 that was multiplied.

    >>> g = lambda x: [x[0], 3 * x[1]]  # of a bowl with curvatures 1 and 3
    >>> round(largest_curvature(g, at=[1, 1], start=[3, 4], iterations=1), 6)
    2.28
    """
    here, image = gradient(at), start
    for _ in range(iterations):
        length = math.hypot(*image)
        direction = [entry / length for entry in image]
        there = gradient([x + distance * entry for x, entry in zip(at, direction, strict=True)])
        image = [(after - before) / distance for after, before in zip(there, here, strict=True)]
    return sum(entry * product for entry, product in zip(direction, image, strict=True))


def from_gradients(function: Callable[..., float], linear: list[Vector], cubic: float, **inputs: Any) -> float:
    """Give the answer a gradient that has a linear part, Hx, and a cubic one, c·xᵢ³."""

    def gradient(x: Vector) -> Vector:
        images = (sum(a * b for a, b in zip(row, x, strict=True)) for row in linear)
        return [image + cubic * entry**3 for image, entry in zip(images, x, strict=True)]

    return function(gradient=gradient, **inputs)


def from_the_hessian(
    linear: list[Vector], cubic: float, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    """Multiply by the Hessian H + 3c·diag(xᵢ²) itself, in exact arithmetic, and scale only in the end."""
    rows, direction = [list(map(Fraction, row)) for row in linear], list(map(Fraction, start))
    for place, entry in enumerate(at):
        rows[place][place] += 3 * Fraction(cubic) * Fraction(entry) ** 2
    for _ in range(iterations):
        image = [sum((a * b for a, b in zip(row, direction, strict=True)), Fraction(0)) for row in rows]
        along = sum(a * b for a, b in zip(direction, image, strict=True))
        curvature, direction = along / sum(entry**2 for entry in direction), image
    return float(curvature)


def wandering(
    gradient: Callable[[Vector], Vector], *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    """Move the point by χδ in each iteration."""
    for _ in range(iterations):
        curvature = largest_curvature(gradient, at=at, start=start, iterations=1, distance=distance)
        length = math.hypot(*start)
        onward = [x + distance * entry / length for x, entry in zip(at, start, strict=True)]
        start = [after - before for after, before in zip(gradient(onward), gradient(at), strict=True)]
        at = onward
    return curvature


def pair(st: Any, low: int, high: int) -> Any:
    return st.lists(st.integers(low, high).map(float), min_size=2, max_size=2)


EXERCISE = Exercise(
    largest_curvature,
    number=3,
    asked="δᵀHδ of the last direction of length 1 that is multiplied by the Hessian H at the point",
    expected=from_the_hessian,
    observe=from_gradients,
    examples=[
        {"linear": [[1, 0], [0, 3]], "cubic": 0, "at": [1.0, 1.0], "start": [3.0, 4.0], "iterations": 1},
        {"linear": [[2]], "cubic": 0, "at": [0.0], "start": [1.0], "iterations": 1},
        {"linear": [[4, 2], [2, 2]], "cubic": 0, "at": [1.0, 2.0], "start": [1.0, 3.0], "iterations": 2},
        {"linear": [[1, 0], [0, -3]], "cubic": 0, "at": [0.0, 1.0], "start": [1.0, 2.0], "iterations": 3},
        {"linear": [[1, 1], [1, 2]], "cubic": 1, "at": [2.0, -1.0], "start": [1.0, 1.0], "iterations": 3},
        {"linear": [[1, 1], [1, 2]], "cubic": 1, "at": [2.0, -1.0], "start": [1.0, 1.0], "iterations": 100},
        {"linear": [[2]], "cubic": 1e6, "at": [1e-3], "start": [1.0], "iterations": 1, "distance": 1e-7},
        {"linear": [[2]], "cubic": 1, "at": [1.0], "start": [1.0], "iterations": 1, "distance": 1e-5},
    ],
    inputs=lambda st: {
        "linear": st.sampled_from([[[x * x, x * y], [x * y, y * y + 1]] for x in (1, 2, 3) for y in (-2, -1, 0, 1, 2)]),
        "cubic": st.sampled_from([0, 1]),
        "at": pair(st, -2, 2),
        "start": pair(st, 1, 3),
        "iterations": st.sampled_from([4, 3, 2, 1]),
    },
    relative_tolerance=1e-3,
    mistakes=[
        Mistake(
            "forgets_the_distance",
            "The difference of two gradients is χ times Hδ: divide it by the distance χ.",
            {"(after - before) / distance": "(after - before)"},
        ),
        Mistake(
            "forgets_to_scale",
            "The last direction does not have length 1: scale it before each product, so that δᵀHδ is a curvature.",
            {"entry / length": "entry"},
        ),
        Mistake(
            "takes_one_gradient",
            "You took the gradient at the shifted point alone; the gradient at θ itself has to be taken off.",
            {"(after - before) / distance": "after / distance"},
        ),
        Mistake(
            "measures_at_the_origin",
            "You measured about the origin; the curvature is asked at the point θ.",
            {"    here, image": "    at = [0.0] * len(at)\n    here, image"},
        ),
        Mistake(
            "lets_the_point_wander",
            "The point θ moves on with each iteration, so the curvature is taken somewhere else: keep it where it is.",
            wandering,
        ),
        Mistake(
            "chooses_its_own_distance",
            "This differs from the right value where the distance is not 1e-4: use the distance that is given.",
            {"    here, image": "    distance = 1e-4\n    here, image"},
        ),
        Mistake(
            "takes_the_length",
            "This is the length of Hδ, which is never negative and too large for all but eigenvectors; take δᵀHδ.",
            {"sum(entry * product for entry, product in zip(direction, image, strict=True))": "math.hypot(*image)"},
        ),
        Mistake(
            "multiplies_once_more",
            "This is one product with the Hessian too many: the last one gives both Hδ and δᵀHδ.",
            {"range(iterations)": "range(iterations + 1)"},
        ),
    ],
)
