"""Formulas: sums of floating-point numbers in the orders in which collectives add, rounded after each addition."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.domain import each, finite_number, positive_integer

FLOAT32_BITS, BFLOAT16_BITS = 24, 8
_MOST_BITS = 53


def rounded(value: float, *, significant_bits: int) -> float:
    """Return the nearest number with so many significant bits, of two equally near ones that whose last bit is 0.

    Formula: $2^{i-q}\\,\\mathrm{round}\\bigl(2^{q-i}\\,y\\bigr)$
    Symbols: y = value; q = significant_bits; i = the exponent for which ½ ≤ |y| / 2ⁱ < 1
    Chapter: 12

    Args:
        value: any finite number.
        significant_bits: from 1 to 53; 24 for float32, 8 for bfloat16.

    Returns:
        The rounded number.

    Raises:
        ValueError: if an argument is out of its range, or the result is beyond a Python float.

    Source: IEEE 754, rounding to nearest, ties to even.
    Convention: the bit that is not stored counts, so that bfloat16, which stores 7, has 8.
    Leaves out: the formats' largest and smallest numbers.

    Example:
        >>> [rounded(value, significant_bits=BFLOAT16_BITS) for value in (256, 257, 258, 259)]
        [256.0, 256.0, 258.0, 260.0]
    """
    return _rounded("value", finite_number("value", value), _bits(significant_bits))


def _bits(significant_bits: int) -> int:
    bits = positive_integer("significant_bits", significant_bits)
    if bits > _MOST_BITS:
        raise ValueError(f"significant_bits must be at most {_MOST_BITS}, got {significant_bits!r}")
    return bits


def _rounded(name: str, value: float, bits: int) -> float:
    """Round a number that may be infinite, as a sum of two large ones is, or raise ``ValueError``."""
    try:
        part, exponent = math.frexp(value)
        return math.ldexp(round(math.ldexp(part, bits)), exponent - bits)
    except OverflowError:
        raise ValueError(f"{name} must round and add up to finite numbers, got {value!r}") from None


def running_sums(values: Sequence[float], *, significant_bits: int) -> tuple[float, ...]:
    """Return what a chain of ranks passes on: each adds its number to the sum so far, and the result is rounded.

    Formula: $z_i = \\mathrm{round}(z_{i-1} + y_i)$
    Symbols: y_i = the i-th of values; z_i = the i-th result
    Chapter: 12

    Args:
        values: the numbers in the order in which the chain meets them, each any finite number.
        significant_bits: of every sum, from 1 to 53.

    Returns:
        As many sums as numbers; the first is the first number, rounded.

    Raises:
        ValueError: if an argument is out of its range, or a sum is beyond a Python float.

    Source: derived in this book.
    Convention: as ``rounded``.
    Leaves out: as ``rounded``.

    Example:
        >>> running_sums([1, 1e8, -1e8, 1], significant_bits=FLOAT32_BITS)
        (1.0, 100000000.0, 0.0, 1.0)
    """
    bits, sums = _bits(significant_bits), [0.0]
    for value in each("values", values, finite_number):
        sums.append(_rounded("values", sums[-1] + value, bits))
    return tuple(sums[1:])


def pairwise_sum(values: Sequence[float], *, significant_bits: int) -> float:
    """Return the sum in a tree's order: neighbours are added, then neighbouring sums, each result rounded.

    Formula: $z = \\mathrm{round}(z_{\\text{left}} + z_{\\text{right}})$
    Symbols: z_left, z_right = the sums of the two halves, formed in the same way
    Chapter: 12

    Args:
        values: one number or more, each any finite number; one that has no neighbour waits for the next level.
        significant_bits: of every sum, from 1 to 53.

    Returns:
        The sum.

    Raises:
        ValueError: if there is no number, or a sum is beyond a Python float.

    Source: derived in this book.
    Convention: as ``rounded``.
    Leaves out: as ``rounded``.

    Example:
        >>> pairwise_sum([1, 1e8, -1e8, 1], significant_bits=FLOAT32_BITS)
        0.0
    """
    bits = _bits(significant_bits)
    level = [_rounded("values", value, bits) for value in each("values", values, finite_number)]
    if not level:
        raise ValueError(f"values must hold one number or more, got {values!r}")
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        rest = level[-1:] if len(level) % 2 else []
        level = [_rounded("values", left + right, bits) for left, right in pairs] + rest
    return level[0]
