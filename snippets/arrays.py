"""Simulators: checks of what the background's simulators are given, with messages that name the argument."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_NUMBERS = 2**28  # 2 GiB of float64: what asks for more is more likely a slip than a wish


def finite_array(name: str, value: Any, *, dimensions: int | None = None) -> NDArray[np.float64]:
    """Return ``value`` as an array of finite ``float64``, or raise ``ValueError``.

    Args:
        name: what the message calls the argument.
        value: an array or nested sequences of real numbers.
        dimensions: how many axes it must have; any number where left out.

    Raises:
        ValueError: it is no array of real numbers, has other axes, or holds an infinity or a NaN.

    Example:
        >>> finite_array("weights", [1, 2], dimensions=1)
        array([1., 2.])
        >>> finite_array("weights", [1, float("nan")], dimensions=1)
        Traceback (most recent call last):
        ...
        ValueError: weights must hold finite numbers only, got nan
    """
    array = _array(name, value, dimensions)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be an array of real numbers, got one of {array.dtype}")
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes an infinity, which is refused
        array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers only, got {array[~np.isfinite(array)][0]}")
    return array


def exact_or_finite_array(name: str, value: Any, *, dimensions: int | None = None) -> Array:
    """Return ``value`` as an array of ``Fraction`` where it holds Fractions, and else as one of finite ``float64``.

    Args:
        name: what the message calls the argument.
        value: an array or nested sequences of real numbers, or any finite number. Beside Fractions, only Fractions and
            integers are allowed.
        dimensions: how many axes it must have; any number where left out.

    Raises:
        ValueError: as ``finite_array``, or Fractions are mixed with floats.

    Example:
        >>> exact_or_finite_array("weights", [Fraction(1, 3), 2])
        array([Fraction(1, 3), Fraction(2, 1)], dtype=object)
    """
    array = _array(name, value, dimensions)
    if array.dtype != object:
        return finite_array(name, array)
    exact = np.empty(array.shape, dtype=object)
    for place, entry in np.ndenumerate(array):
        if not isinstance(entry, Fraction | int) or isinstance(entry, bool):
            raise ValueError(f"{name} must hold Fractions and integers only, or floats only, got {entry!r}")
        exact[place] = Fraction(entry)
    return exact


def index_array(name: str, value: Any, *, population: int, dimensions: int) -> NDArray[np.int64]:
    """Return ``value`` as an array of integers from 0 to ``population`` − 1, or raise ``ValueError``.

    Args:
        name: what the message calls the argument.
        value: an array or nested sequences of integers.
        population: one more than the largest index allowed.
        dimensions: how many axes it must have.

    Raises:
        ValueError: it is no array of integers, has other axes, or an index is out of range.

    Example:
        >>> index_array("indices", [[0, 2]], population=3, dimensions=2)
        array([[0, 2]])
        >>> index_array("indices", [[0, 3]], population=3, dimensions=2)
        Traceback (most recent call last):
        ...
        ValueError: indices must hold integers from 0 to 2, got 3
    """
    array = _array(name, value, dimensions)
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"{name} must be an array of integers, got one of {array.dtype}")
    outside = array[(array < 0) | (array >= population)]
    if outside.size:
        raise ValueError(f"{name} must hold integers from 0 to {population - 1}, got {outside.flat[0]}")
    return array.astype(np.int64)


def number_array(name: str, value: Any, *, dimensions: int | None = None) -> Array:
    """Return ``value`` as an array of finite numbers of their own type: integers, floats or complex.

    Args:
        name: what the message calls the argument.
        value: an array or nested sequences of numbers.
        dimensions: how many axes it must have; any number where left out.

    Raises:
        ValueError: it is no array of numbers, has other axes, or holds an infinity or a NaN.

    Example:
        >>> number_array("a", [[1, 2]], dimensions=2)
        array([[1, 2]])
    """
    array = _array(name, value, dimensions)
    if array.dtype.kind not in "iufc":
        raise ValueError(f"{name} must be an array of numbers, got one of {array.dtype}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers only, got {array[~np.isfinite(array)][0]}")
    return array


_OVERFLOWS = "must be smaller: the result overflows"


@contextmanager
def refusing_overflow(arguments: str) -> Iterator[None]:
    """Turn an overflow within the block, or the function that it decorates, into a ``ValueError``.

    Where one such block runs within another, the outer one's arguments are named: they are what the caller gave.

    Example:
        >>> with refusing_overflow("gradients"):
        ...     square = np.array([1e200]) ** 2
        Traceback (most recent call last):
        ...
        ValueError: gradients must be smaller: the result overflows
    """
    try:
        with np.errstate(over="raise", invalid="raise"):
            yield
    except (FloatingPointError, ValueError) as error:
        if isinstance(error, ValueError) and not str(error).endswith(_OVERFLOWS):
            raise
        raise ValueError(f"{arguments} {_OVERFLOWS}") from None


def random_generator(name: str, value: Any) -> np.random.Generator:
    """Return ``value`` when it is a ``numpy.random.Generator``, or raise ``ValueError``.

    Example:
        >>> random_generator("generator", np.random.default_rng(7)).integers(10)
        np.int64(9)
        >>> random_generator("generator", 7)
        Traceback (most recent call last):
        ...
        ValueError: generator must be a numpy.random.Generator, such as numpy.random.default_rng(7), got 7
    """
    if not isinstance(value, np.random.Generator):
        raise ValueError(f"{name} must be a numpy.random.Generator, such as numpy.random.default_rng(7), got {value!r}")
    return value


def affordable(what: str, numbers: int) -> None:
    """Raise ``ValueError`` where a run would keep more than ``MOST_NUMBERS`` numbers at once.

    Example:
        >>> affordable("batches × batch_size", 1000)
        >>> affordable("batches × batch_size", 2**40)
        Traceback (most recent call last):
        ...
        ValueError: batches × batch_size must be at most 268435456, got 1099511627776
    """
    if numbers > MOST_NUMBERS:
        raise ValueError(f"{what} must be at most {MOST_NUMBERS}, got {numbers}")


def _array(name: str, value: Any, dimensions: int | None) -> Array:
    """Return ``value`` as an array with that many axes, or raise ``ValueError``."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be an array of numbers, got {value!r}") from None
    if array.dtype.kind != "b" and _has_bool(value):  # NumPy takes True among numbers for 1
        raise ValueError(f"{name} must be an array of numbers, got True or False in it")
    if dimensions is not None and array.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimensions, got shape {array.shape}")
    return array


def _has_bool(value: Any) -> bool:
    """Return whether nested lists or tuples hold ``True`` or ``False``."""
    if not isinstance(value, list | tuple):
        return isinstance(value, bool)
    kinds = set(map(type, value))  # of a long row of numbers only a few
    return bool in kinds or (not kinds <= {int, float} and any(map(_has_bool, value)))
