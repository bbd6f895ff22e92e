"""When two values agree."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any


def same(one: Any, other: Any, relative_tolerance: float) -> bool:
    """Say whether two values agree: numbers to the tolerance, containers and arrays entry by entry.

    Whole numbers are exact, however large.

    >>> same([1, 2.0], (1, 2), 0), same({"a": 1}, {"a": 1 + 1e-12}, 1e-9), same(True, 1, 0), same("1", 1, 0)
    (True, True, False, False)
    >>> same(10**12, 10**12 + 1, 1e-9), same(10**12, 10**12 + 1.0, 1e-9)
    (False, True)
    """
    one, other = plain(one), plain(other)
    if isinstance(one, bool) or isinstance(other, bool):
        return isinstance(one, bool) and isinstance(other, bool) and one == other
    if isinstance(one, int | float | Fraction) and isinstance(other, int | float | Fraction):
        if one == other or (isinstance(one, int) and isinstance(other, int)):
            return one == other
        return close(one, other, relative_tolerance)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b, relative_tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key], relative_tolerance) for key in one)
    return type(one) is type(other) and bool(one == other)


def close(one: float | Fraction, other: float | Fraction, relative_tolerance: float) -> bool:
    """Say whether two numbers agree to the tolerance; numbers past a float's range agree if they are equal."""
    try:
        return math.isclose(one, other, rel_tol=relative_tolerance, abs_tol=relative_tolerance * 1e-3)
    except OverflowError:
        return False


def plain(value: Any) -> Any:
    """Return arrays and NumPy's numbers as Python's, tuples and ranges as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple | range) else value
