"""Formulas: checks of a function's domain, with messages that name the argument, its value and what is allowed."""

from __future__ import annotations

import math
import operator
from collections.abc import Collection
from typing import Any


def integer_at_least(name: str, value: Any, minimum: int) -> int:
    """Return ``value`` as an ``int``, or raise ``ValueError`` when it is no integer or lies below ``minimum``.

    >>> integer_at_least("workers", 4, 1)
    4
    >>> integer_at_least("workers", 0, 1)
    Traceback (most recent call last):
    ...
    ValueError: workers must be an integer of at least 1, got 0
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < minimum:
        raise ValueError(f"{name} must be an integer of at least {minimum}, got {value!r}")
    return number


def positive_integer(name: str, value: Any) -> int:
    """Return ``value`` as an ``int`` of at least 1, or raise ``ValueError``."""
    return integer_at_least(name, value, 1)


def nonnegative_integer(name: str, value: Any) -> int:
    """Return ``value`` as an ``int`` of at least 0, or raise ``ValueError``."""
    return integer_at_least(name, value, 0)


def _finite(value: Any) -> float | None:
    """Return ``value`` as a finite ``float``, or ``None`` when it is none."""
    if isinstance(value, bool | str | bytes):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def positive_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite ``float`` above 0, or raise ``ValueError``.

    >>> positive_number("bandwidth_bytes_per_s", -1.0)
    Traceback (most recent call last):
    ...
    ValueError: bandwidth_bytes_per_s must be a finite number above 0, got -1.0
    """
    number = _finite(value)
    if number is None or number <= 0:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def nonnegative_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite ``float`` of at least 0, or raise ``ValueError``."""
    number = _finite(value)
    if number is None or number < 0:
        raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number


def finite_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite ``float``, or raise ``ValueError``."""
    number = _finite(value)
    if number is None:
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return number


def probability(name: str, value: Any) -> float:
    """Return ``value`` as a ``float`` in [0, 1], or raise ``ValueError``."""
    number = _finite(value)
    if number is None or not 0 <= number <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")
    return number


def one_of(name: str, value: Any, allowed: Collection[Any]) -> Any:
    """Return ``value`` when it is among ``allowed``, or raise ``ValueError`` that lists them.

    >>> one_of("schedule", "zigzag", ("gpipe", "1f1b"))
    Traceback (most recent call last):
    ...
    ValueError: schedule must be one of 'gpipe', '1f1b', got 'zigzag'
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value
