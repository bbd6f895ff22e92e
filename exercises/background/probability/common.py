"""What the exercises on batches share: exact arithmetic, and gradients of a few small entries."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any


def exact(numbers: Sequence[float]) -> list[Fraction]:
    return [Fraction(number) for number in numbers]


def square_distance(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))


def gradients(st: Any, entries: int, *, least: int, most: int) -> Any:
    """Return a strategy of lists of gradients."""
    gradient = st.lists(st.integers(-4, 4).map(float), min_size=entries, max_size=entries)
    return st.lists(gradient, min_size=least, max_size=most)
