"""The gate that every result passes: it takes the shape that the solution's annotation names, or is refused.

A right answer may return a tuple for a list, NumPy's numbers for Python's, or an array for both. What cannot be
meant is refused with a sentence, so that no exercise has to look at containers itself.
"""

from __future__ import annotations

import collections.abc
import functools
import re
import types
import typing
from collections.abc import Callable, Generator
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Union, get_args, get_origin

from grader.plain import NAMELESS, Unknown

NOTHING = "nothing is returned: does every way through end in a `return`?"


class WrongShape(Exception):
    """A result is of another kind than was asked for."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected, self.got = expected, got


@functools.cache
def returned(function: Callable[..., Any]) -> Any:
    """Return what a function's annotation says that it returns; of a generator what it returns at its end."""
    kind = typing.get_type_hints(function).get("return", Any)
    return get_args(kind)[2] if get_origin(kind) in (Generator, collections.abc.Generator) else kind


def shaped(value: Any, kind: Any) -> Any:
    """Return a value in the shape that an annotation names.

    Raises:
        WrongShape: it is of another kind.

    >>> shaped((1, 2.0), list[int]), shaped([3, "F"], tuple[int, str]), shaped(None, int | None)
    ([1, 2], (3, 'F'), None)
    >>> shaped("2", list[int])
    Traceback (most recent call last):
    grader.shapes.WrongShape: expected a list of whole numbers, got the text '2'
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(value, kind, arguments)
    if kind in (Any, None, type(None)) or isinstance(kind, typing.TypeVar):
        return value
    if value is None:
        raise WrongShape(described(kind), NOTHING)
    if origin is Literal:
        return str(value) if isinstance(value, str) else _refuse(kind, value)
    if kind in _NUMBERS:
        return _number(value, kind)
    if kind is str:
        return str(value) if isinstance(value, str) else _refuse(kind, value)
    if origin in (list, collections.abc.Sequence):
        return [_entry(one, arguments[0], kind) for one in _entries(value, kind)]
    if origin is tuple:
        return _tuple(value, kind, arguments)
    if origin is dict:
        return _dictionary(value, kind, *arguments)
    return _array(value, kind) if _is_array(kind) else value


LARGEST_EXACT = 2**53  # floats beyond it skip whole numbers, so there they agree to the tolerance

MOST_BITS = 10_000  # of a number's numerator and denominator: what has many more cannot be printed

_NUMBERS = {int: "a whole number", float: "a number", Fraction: "a fraction or a number", bool: "True or False"}


def _one_of(value: Any, kind: Any, kinds: tuple[Any, ...]) -> Any:
    if value is None and type(None) in kinds:
        return None
    failures = []
    for one in kinds:
        if one is not type(None):
            try:
                return shaped(value, one)
            except WrongShape as error:
                failures.append(error)
    if len(failures) == 1:
        raise failures[0]
    raise WrongShape(described(kind), failures[0].got)


def _number(value: Any, kind: Any) -> Any:
    value = _fraction_of_decimal(_single(value))
    if not isinstance(value, bool | int | float | Fraction):
        return _refuse(kind, value)
    if _bits(value) > MOST_BITS:
        return _refuse(kind, value)
    if kind is bool:
        return bool(value) if value in (0, 1) else _refuse(kind, value)
    if kind is int:
        inexact = isinstance(value, float) and not abs(value) <= LARGEST_EXACT
        return int(value) if not inexact and value == int(value) else value
    return float(value) if isinstance(value, bool) else value


def _bits(number: float | Fraction) -> int:
    """Return how many bits an exact number has, above the line of a fraction or below; 0 of a float."""
    if isinstance(number, float):
        return 0
    return max(number.numerator.bit_length(), number.denominator.bit_length())


def _fraction_of_decimal(value: Any) -> Any:
    """Return a finite decimal, which another process may have described, as the fraction that it is.

    >>> _fraction_of_decimal(Decimal("0.1")), _fraction_of_decimal(Unknown("Decimal", "Decimal('2.50')"))
    (Fraction(1, 10), Fraction(5, 2))
    """
    if isinstance(value, Decimal):
        value = Unknown("Decimal", repr(value))
    if isinstance(value, Unknown) and value.kind == "Decimal":
        digits = re.fullmatch(r"Decimal\('([+-]?[\d.]{1,80}(?:E[+-]?\d{1,3})?)'\)", value.shown, re.ASCII)
        return Fraction(digits[1]) if digits else value
    return value


def _single(value: Any) -> Any:
    """Return the number of an array that has one."""
    if hasattr(value, "tolist"):
        value = value.tolist()
        while isinstance(value, list) and len(value) == 1:
            value = value[0]
    return value


def _entries(value: Any, kind: Any) -> list[Any]:
    if hasattr(value, "tolist"):
        value = list(value) if getattr(value, "ndim", 1) else value.tolist()
    if not isinstance(value, list | tuple | range):
        return list(_refuse(kind, value))
    return list(value)


def _entry(value: Any, kind: Any, whole: Any) -> Any:
    try:
        return shaped(value, kind)
    except WrongShape as error:
        raise WrongShape(described(whole), f"{_opened(value)} in it") from error


def _tuple(value: Any, kind: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    entries = _entries(value, kind)
    if len(kinds) == 2 and kinds[1] is ...:
        return tuple(_entry(one, kinds[0], kind) for one in entries)
    if len(entries) != len(kinds):
        raise WrongShape(described(kind), _opened(value))
    return tuple(_entry(one, one_kind, kind) for one, one_kind in zip(entries, kinds, strict=True))


def _dictionary(value: Any, kind: Any, keys: Any, values: Any) -> dict[Any, Any]:
    if not isinstance(value, dict):
        return dict(_refuse(kind, value))
    return {_entry(key, keys, kind): _entry(one, values, kind) for key, one in value.items()}


def _is_array(kind: Any) -> bool:
    return getattr(get_origin(kind) or kind, "__name__", "") == "ndarray"


def _array(value: Any, kind: Any) -> Any:
    import numpy as np

    try:
        array = np.asarray(value)
    except ValueError:
        raise WrongShape(described(kind), "rows of different lengths") from None
    return array if array.dtype.kind in "biufc" else _refuse(kind, value)


def _refuse(kind: Any, value: Any) -> Any:
    raise WrongShape(described(kind), shown(value))


def _opened(value: Any) -> str:
    """Say what a value is, and of a short tuple or list what is in it."""
    if isinstance(value, list | tuple) and 0 < len(value) <= 4:
        return f"({', '.join(map(shown, value))})"
    return shown(value)


def shown(value: Any) -> str:
    """Say what a value is, for somebody who did not expect it.

    >>> shown("2"), shown(2.5), shown([1, 2]), shown({}), shown(2**10_000)
    ("the text '2'", '2.5', 'a list of 2', 'a dict', 'a number of 10,001 bits')
    """
    value = _single(value)
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, int | Fraction) and (bits := _bits(value)) > MOST_BITS:
        return f"a number of {bits:,} bits"
    if isinstance(value, bool | int | float | Fraction | complex):
        return str(value)[:60]
    name = (value.kind if isinstance(value, Unknown) else type(value).__name__) or NAMELESS
    name = f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"
    return f"{name} of {len(value)}" if isinstance(value, list | tuple) else name


def described(kind: Any) -> str:
    """Say in words what an annotation names.

    >>> described(list[tuple[str, int]])
    'a list of pairs (text, whole number)'
    >>> described(int | None), described(dict[int, float])
    ('a whole number or None', 'a dict of whole numbers to numbers')
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join("None" if one is type(None) else described(one) for one in arguments)
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    if kind is str:
        return "a text"
    if origin is Literal:
        return f"one of {', '.join(map(repr, arguments))}"
    if origin in (list, collections.abc.Sequence):
        return f"a list of {_plural(arguments[0])}"
    if origin is dict:
        return f"a dict of {_plural(arguments[0])} to {_plural(arguments[1])}"
    if origin is tuple:
        return _tuple_in_words(arguments)
    return "an array of numbers" if _is_array(kind) else f"a {getattr(kind, '__name__', 'value')}"


_COUNTED = {2: "pair", 3: "triple"}


def _tuple_in_words(kinds: tuple[Any, ...]) -> str:
    if len(kinds) == 2 and kinds[1] is ...:
        return f"a tuple of {_plural(kinds[0])}"
    inside = ", ".join(described(one).removeprefix("a ").removeprefix("an ") for one in kinds)
    return f"a {_COUNTED.get(len(kinds), f'tuple of {len(kinds)}')} ({inside})"


def _plural(kind: Any) -> str:
    if get_origin(kind) is Literal or kind is bool:
        return described(kind)
    words = described(kind).removeprefix("an ").removeprefix("a ")
    head, *rest = words.split(" ")
    if head in ("whole",):
        return "whole numbers"
    if words.startswith("fraction"):
        return "fractions"
    return " ".join([f"{head}s", *rest])
