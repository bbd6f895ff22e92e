"""Formulas: checks of a function's domain, with messages that name the argument, its value and what is allowed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Hashable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

_Entry = TypeVar("_Entry")

MOST_PARTS = 2**20  # ranks, blocks or steps: what lists more is more likely a slip than a wish


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
    """Return ``value`` as an ``int`` of at least 1, or raise ``ValueError``.

    >>> positive_integer("workers", 4)
    4
    """
    return integer_at_least(name, value, 1)


def nonnegative_integer(name: str, value: Any) -> int:
    """Return ``value`` as an ``int`` of at least 0, or raise ``ValueError``.

    >>> nonnegative_integer("length", 0)
    0
    """
    return integer_at_least(name, value, 0)


def at_most(name: str, value: int, most: int = MOST_PARTS) -> int:
    """Return an integer from 0 to ``most``, or raise ``ValueError``: for what a function lists one by one.

    >>> at_most("workers", 1000)
    1000
    >>> at_most("workers", 10**12)
    Traceback (most recent call last):
    ...
    ValueError: workers must be at most 1048576, got 1000000000000
    """
    number = nonnegative_integer(name, value)
    if number > most:
        raise ValueError(f"{name} must be at most {most}, got {value!r}")
    return number


def whole_number(name: str, value: Any, minimum: int) -> int:
    """Return a count as an ``int``, taking ``7e9`` for 7,000,000,000, or raise ``ValueError``.

    For counts that are written with an exponent (parameters, tokens). A float must be finite and without a fraction.

    >>> whole_number("parameters", 7e9, 1)
    7000000000
    >>> whole_number("parameters", 1.5, 1)
    Traceback (most recent call last):
    ...
    ValueError: parameters must be a whole number of at least 1, got 1.5
    """
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    try:
        return integer_at_least(name, number, minimum)
    except ValueError:
        raise ValueError(f"{name} must be a whole number of at least {minimum}, got {value!r}") from None


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

    >>> positive_number("bandwidth_bytes_per_s", 25)
    25.0
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
    """Return ``value`` as a finite ``float`` of at least 0, or raise ``ValueError``.

    >>> nonnegative_number("latency_s", 0)
    0.0
    """
    number = _finite(value)
    if number is None or number < 0:
        raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number


def nonnegative_exact(name: str, value: Any) -> int | float | Fraction:
    """Return a finite number of at least 0 with an ``int`` or ``Fraction`` kept exact, or raise ``ValueError``.

    >>> nonnegative_exact("forward_s", 3), nonnegative_exact("forward_s", Fraction(1, 3)), nonnegative_exact("t_s", 0.5)
    (3, Fraction(1, 3), 0.5)
    """
    number = nonnegative_number(name, value)
    if isinstance(value, Fraction):
        return value
    try:
        return operator.index(value)
    except TypeError:
        return number


def finite_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite ``float``, or raise ``ValueError``.

    >>> finite_number("covariance", -0.5)
    -0.5
    """
    number = _finite(value)
    if number is None:
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return number


def number_between(name: str, value: Any, *, low: float, high: float) -> float:
    """Return ``value`` as a ``float`` from ``low`` to ``high``, or raise ``ValueError``.

    >>> number_between("width_px", 328, low=1, high=1e6)
    328.0
    >>> number_between("width_px", 0, low=1, high=1e6)
    Traceback (most recent call last):
    ...
    ValueError: width_px must be a number from 1 to 1e+06, got 0
    """
    number = _finite(value)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")
    return number


def probability(name: str, value: Any) -> float:
    """Return ``value`` as a ``float`` in [0, 1], or raise ``ValueError``.

    >>> probability("share", 1)
    1.0
    """
    number = _finite(value)
    if number is None or not 0 <= number <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")
    return number


def flag(name: str, value: Any) -> bool:
    """Return ``value`` when it is ``True`` or ``False``, or raise ``ValueError``.

    >>> flag("gated", True)
    True
    >>> flag("gated", 1)
    Traceback (most recent call last):
    ...
    ValueError: gated must be True or False, got 1
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return value


def text(name: str, value: Any) -> str:
    """Return ``value`` when it is a text, or raise ``ValueError``.

    >>> text("algorithm", "ring")
    'ring'
    """
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {value!r}")
    return value


def text_fields(record: Any, *names: str) -> None:
    """Raise ``ValueError`` unless these fields of a record are texts.

    >>> from types import SimpleNamespace
    >>> text_fields(SimpleNamespace(name="ring", source=None), "name")
    >>> text_fields(SimpleNamespace(name="ring", source=None), "name", "source")
    Traceback (most recent call last):
    ...
    ValueError: source must be a text, got None
    """
    for name in names:
        text(name, getattr(record, name))


def as_float(names: str, exact: Fraction) -> float:
    """Return an exact result as a ``float``, or raise ``ValueError`` where the arguments ``names`` make it too large.

    >>> as_float("flops", Fraction(1, 4))
    0.25
    """
    try:
        return float(exact)
    except OverflowError:
        raise ValueError(f"{names} must be such that the result fits a float, got a result above 1.8e308") from None


def one_of(name: str, value: Any, allowed: Collection[Any]) -> Any:
    """Return ``value`` when it is among ``allowed``, or raise ``ValueError`` that lists them.

    >>> one_of("schedule", "1f1b", ("gpipe", "1f1b"))
    '1f1b'
    >>> one_of("schedule", "zigzag", ("gpipe", "1f1b"))
    Traceback (most recent call last):
    ...
    ValueError: schedule must be one of 'gpipe', '1f1b', got 'zigzag'
    """
    if not isinstance(value, Hashable) or value not in allowed:  # an array cannot be compared
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def each(name: str, values: Sequence[Any], check: Callable[[str, Any], _Entry]) -> tuple[_Entry, ...]:
    """Return the entries of a list, tuple or array, each passed by ``check(name, entry)``, or raise its ``ValueError``.

    >>> each("shares", [1, 0.5], probability)
    (1.0, 0.5)
    >>> each("shares", [1, 2], probability)
    Traceback (most recent call last):
    ...
    ValueError: shares[1] must be a number from 0 to 1, got 2
    """
    ordered = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    try:
        entries = None if isinstance(values, str | bytes | dict) or not ordered else tuple(values)
    except TypeError:  # an array without axes
        entries = None
    if entries is None:
        raise ValueError(f"{name} must be a sequence, got {values!r}")
    return tuple(check(f"{name}[{index}]", entry) for index, entry in enumerate(entries))


def shortened(value: Any) -> str:
    """Return what ``repr`` says of a value, for a message, in at most 60 characters.

    >>> shortened("x" * 99) == "'" + "x" * 58 + "…"
    True
    """
    said = repr(value)
    return said if len(said) <= 60 else said[:59] + "…"
