"""Exercise: partial products of A·B, one for each part of the shared dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exercises.background.linear_algebra.common import ONE_NUMBER, product, products
from grader.exercise import Exercise, Mistake, Observation
from snippets.background.linear_algebra import simulators as block_products


def k_split_product(
    a: NDArray[np.number],
    b: NDArray[np.number],
    parts: int,
) -> list[NDArray[np.number]]:
    """Cut A·B's shared dimension into parts; return a partial product for each.

    Part r has the columns of A and the rows of B of its range. The ranges
    follow each other and differ in length by at most 1; the longer ones come
    first. A part may be empty.

    Args:
        a: A, m × k.
        b: B, k × n.
        parts: number of parts, at least 1; it need not divide k.

    Returns:
        ``parts`` arrays of m × n, whose sum is A·B.

    >>> a, b = np.array([[1, 2, 3]]), np.array([[10], [20], [30]])
    >>> [part.tolist() for part in k_split_product(a, b, parts=2)]
    [[[50]], [[90]]]
    """
    a_parts = np.array_split(a, parts, axis=1)
    b_parts = np.array_split(b, parts, axis=0)
    return [a_part @ b_part for a_part, b_part in zip(a_parts, b_parts, strict=True)]


def shown(parts: list[NDArray[np.number]]) -> Observation:
    """Return what is compared of partial products: their shapes, their sum, and each of them."""
    shapes = [part.shape for part in parts]
    total = sum(parts[1:], parts[0]) if len(set(shapes)) == 1 else "none: the shapes differ"
    return {"shapes of the parts": shapes, "sum of the parts": total, "parts": [part.tolist() for part in parts]}


def sums_up(chosen: list[NDArray[np.number]], *, a: NDArray[np.number], b: NDArray[np.number], parts: int) -> bool:
    """Say whether parts are as many and as large as they should be and have the right sum, whatever their ranges."""
    alike = len(chosen) == parts and {part.shape for part in chosen} == {(len(a), b.shape[1])}
    return alike and bool(np.allclose(sum(chosen[1:], chosen[0]), a @ b))


EXERCISE = Exercise(
    k_split_product,
    number=1,
    level="easy",
    asked="partial products of A·B, one for each part of the shared dimension",
    expected=lambda a, b, parts: shown(block_products.partial_products(a, b, parts=parts)),
    observe=lambda function, **inputs: shown(function(**inputs)),
    examples=[
        product(2, 4, 3, 2),
        product(3, 7, 2, 3),
        product(5, 11, 4, 4),
        product(4, 2, 3, 5),
        product(2, 5, 3, 2, np.float32),
        product(3, 4, 2, 2, most=5000),
        ONE_NUMBER,
        product(20, 12, 8, 5),  # the exercise's, each side a tenth
    ],
    inputs=products,
    takes=("numpy",),
    mistakes=[
        Mistake(
            "forgets_the_remainder",
            "Some columns of A are in no part: where parts does not divide k, deal the remainder out too.",
            {"split(a,": "split(a[:, : len(b) // parts * parts],", "split(b,": "split(b[: len(b) // parts * parts],"},
        ),
        Mistake(
            "cuts_rows_instead",
            "You cut A's rows, so these are finished rows of C. A partial product has the shape of C: cut A's columns "
            "and B's rows.",
            lambda a, b, parts: [strip @ b for strip in np.array_split(a, parts)],
        ),
        Mistake(
            "averages",
            "Partial products are summed, not averaged: do not divide by the number of parts.",
            {"a_part @ b_part for": "a_part @ b_part / parts for"},
        ),
        Mistake(
            "gives_the_remainder_to_the_last",
            "The sum is right, the ranges are not: they differ by at most 1, and the longer ones come first.",
            {"    a_parts =": "    parts = [p * (len(b) // parts) for p in range(1, parts)]\n    a_parts ="},
            accepts=sums_up,
        ),
        Mistake(
            "one_number",
            "This is right for one input only: the parts are to be computed from A and B.",
            lambda **_: [np.array([[6]])],
        ),
    ],
)
