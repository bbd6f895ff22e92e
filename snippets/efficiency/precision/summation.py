"""Simulators: sums and weight updates in a number format, each result rounded before the next is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array
from snippets.domain import Answers, at_most, finite_number, named, nonnegative_integer, positive_integer
from snippets.efficiency.precision.formats import (
    NUMBER_FORMATS,
    FloatFormat,
    largest_finite,
    nearest_in_format,
)
from snippets.efficiency.precision.rounding import round_to_format

FloatArray = npt.NDArray[np.float64]

SUM_ORDERS = ("running", "pairwise", "kahan", "blocks")
WEIGHT_RULES = ("nearest", "stochastic", "master", "kahan")
_MOST_TERMS = 2**16


@dataclass(frozen=True)
class FormatSum(Answers):
    """A sum in a number format beside the exact one.

    Attributes:
        total: as it comes out.
        exact: of the numbers as the format holds them, rounded once, to a Python float.
    """

    total: float
    exact: float

    @property
    def relative_error(self) -> float:
        """How far the sum is off, as a share of the exact one's magnitude; the error itself where that is 0.

        >>> sum_in_format([1.0] * 512, number_format="bf16").relative_error
        0.5
        """
        return abs(self.total - self.exact) / (abs(self.exact) or 1.0)


def sum_in_format(
    values: npt.ArrayLike,
    *,
    number_format: FloatFormat | str,
    order: str = "running",
    accumulator: FloatFormat | str | None = None,
    block: int = 128,
) -> FormatSum:
    """Add numbers of a format, in an order, and round each sum to the accumulator's format.

    Args:
        values: any finite numbers, of shape (terms,) with at most 2¹⁶ terms; they are rounded to the format first.
        number_format: of the numbers: a name in ``NUMBER_FORMATS``, or a ``FloatFormat`` of your own, with a sign.
        order: ``"running"``, one after the other; ``"pairwise"``, neighbours first, then neighbouring sums;
            ``"kahan"``, one after the other with a second number that carries what was rounded away; ``"blocks"``,
            running sums over blocks, and their results added in fp32.
        accumulator: format of the sums; that of the numbers where left out.
        block: terms of a block, in the order ``"blocks"``.

    Returns:
        The sum and the exact one.

    Source: Higham 2002, chapter 4, for the orders; DeepSeek-AI 2024, section 3.3.2, for blocks that are added in fp32.
    Convention: to nearest even, saturating. Each addition is made exactly and rounded once.
    Leaves out: what tensor cores do within an instruction, which vendors do not publish.

    Example:
        >>> [sum_in_format([1.0] * 512, number_format="bf16", order=order).total for order in SUM_ORDERS]
        [256.0, 512.0, 512.0, 512.0]
        >>> sum_in_format([1.0] * 512, number_format="bf16", accumulator="fp32").total
        512.0
    """
    kept = _with_mantissa("number_format", number_format)
    sums = kept if accumulator is None else _with_mantissa("accumulator", accumulator)
    way, size = named("order", order, SUM_ORDERS), positive_integer("block", block)
    terms = round_to_format(finite_array("values", values, dimensions=1), number_format=kept).tolist()
    at_most("terms", len(terms), _MOST_TERMS)

    def add(left: float, right: float) -> float:
        return _rounded_sum(left, right, sums)

    if way == "running":
        total = _running(terms, add)
    elif way == "pairwise":
        total = _pairwise([add(0.0, term) for term in terms], add)
    elif way == "kahan":
        total = _kahan(terms, add)
    else:
        wide = NUMBER_FORMATS["fp32"]
        parts = [_running(terms[start : start + size], add) for start in range(0, len(terms), size)]
        total = _running(parts, lambda left, right: _rounded_sum(left, right, wide))
    return FormatSum(total, float(sum(map(Fraction, terms), Fraction(0))))


def running_format_sums(
    values: npt.ArrayLike, *, number_format: FloatFormat | str, generator: np.random.Generator | None = None
) -> FloatArray:
    """Return a running sum after each of its terms, for several sums at once: where swamping begins is where it stops.

    Args:
        values: any finite numbers, of shape (terms,) or (terms, sums), at most 2²⁰ in all; they are rounded to the
            format first.
        number_format: of numbers and sums, as in ``sum_in_format``.
        generator: where given, the sums are rounded at random, as by ``round_to_format``.

    Returns:
        The sums, of the same shape.

    Source: Higham 2002, chapter 4.
    Convention: to nearest even unless at random; saturating. Each addition is made exactly and rounded once.

    Example:
        >>> running_format_sums([1.0] * 6, number_format="e2m1").tolist()
        [1.0, 2.0, 3.0, 4.0, 4.0, 4.0]
    """
    kept = _with_mantissa("number_format", number_format)
    terms = finite_array("values", values)
    if terms.ndim not in (1, 2):
        raise ValueError(f"values must have one axis or two, got {terms.ndim}")
    at_most("numbers in values", terms.size, 2**20)
    terms = round_to_format(terms, number_format=kept)
    sums, held = np.zeros_like(terms), np.zeros(terms.shape[1:])
    for place, term in enumerate(terms):
        held = round_to_format(_sum_to_odd(held, term), number_format=kept, generator=generator)
        sums[place] = held
    return sums


def updated_weights(
    *,
    weight: float,
    update: float,
    steps: int,
    number_format: FloatFormat | str = "bf16",
    rule: str = "nearest",
    copies: int = 1,
    seed: int = 0,
) -> FloatArray:
    """Add one small update to a weight again and again, and return the weight as the format holds it after each step.

    Args:
        weight: at the beginning, any finite number; it is rounded to the format.
        update: what a step adds, −η·g: any finite number.
        steps: at least 0, at most 2¹⁶.
        number_format: of the weight, as in ``sum_in_format``.
        rule: ``"nearest"``, the sum is rounded to nearest; ``"stochastic"``, at random; ``"master"``, an fp32 weight is
            updated, to nearest, and the format's weight is a rounded copy; ``"kahan"``, a second number of the format
            carries what was rounded away into the next step.
        copies: weights that go through the same steps, each with random numbers of its own; at most 2¹²; with the steps
            at most 2²⁰ in all.
        seed: of the random numbers, at least 0.

    Returns:
        Weights, of shape (steps + 1, copies).

    Source: Micikevicius et al. 2018, section 3.1, for the master copy; Gupta et al. 2015 for rounding at random.
    Convention: saturating. Each sum is made exactly and rounded once; with a master copy, to fp32.
    Leaves out: optimizers whose update shrinks or grows with the steps; weight decay.

    Example:
        >>> for rule in WEIGHT_RULES:
        ...     end = updated_weights(weight=1.0, update=2.0**-10, steps=256, rule=rule, copies=400)[-1]
        ...     print(rule, round(float(end.mean()), 2))
        nearest 1.0
        stochastic 1.25
        master 1.25
        kahan 1.25
    """
    kept = _with_mantissa("number_format", number_format)
    start, step = (
        nearest_in_format(finite_number("weight", weight), number_format=kept),
        finite_number("update", update),
    )
    count = at_most("steps", nonnegative_integer("steps", steps), 2**16)
    many = at_most("copies", positive_integer("copies", copies), 2**12)
    at_most("steps times copies", count * many, 2**20)
    way = named("rule", rule, WEIGHT_RULES)
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    most = largest_finite("fp32")
    step = min(max(step, -most), most)  # what is larger saturates in one step too
    weights = np.full((count + 1, many), start)
    master, carried = np.full(many, start), np.zeros(many)
    for number in range(1, count + 1):
        before = weights[number - 1]
        if way == "master":
            master = round_to_format(_sum_to_odd(master, step), number_format="fp32")
            weights[number] = round_to_format(master, number_format=kept)
        elif way == "kahan":
            wanted = round_to_format(_sum_to_odd(carried, step), number_format=kept)
            after = round_to_format(_sum_to_odd(before, wanted), number_format=kept)
            moved = round_to_format(_sum_to_odd(after, -before), number_format=kept)
            carried = round_to_format(_sum_to_odd(wanted, -moved), number_format=kept)
            weights[number] = after
        else:
            generator = rng if way == "stochastic" else None
            weights[number] = round_to_format(_sum_to_odd(before, step), number_format=kept, generator=generator)
    return weights


def _with_mantissa(name: str, number_format: FloatFormat | str) -> FloatFormat:
    kept = number_format if isinstance(number_format, FloatFormat) else None
    kept = kept or NUMBER_FORMATS[NUMBER_FORMATS.name_of(number_format, argument=name)]  # type: ignore[arg-type]
    if kept.scale_only:
        raise ValueError(f"{name} must have a sign and a mantissa, got {kept.name}")
    return kept


def _sum_to_odd(left: npt.ArrayLike, right: npt.ArrayLike) -> FloatArray:
    """Add in float64 and, where that is inexact, take of the two floats around the sum the one whose last bit is 1.

    Rounded to a format of at most 24 bits, it is what the exact sum is rounded to: no tie of the format ends in a 1.
    """
    one, other = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    total = np.asarray(one + other)
    back = total - one
    lost = (one - (total - back)) + (other - back)  # Knuth's: exactly what float64 has rounded away
    even = (total.view(np.int64) & 1) == 0
    odd: FloatArray = np.where((lost != 0) & even, np.nextafter(total, np.copysign(np.inf, lost)), total)
    return odd


def _rounded_sum(left: float, right: float, kept: FloatFormat) -> float:
    """Add two numbers exactly and round once."""
    total = left + right
    back = total - left
    if (left - (total - back)) + (right - back):
        total = float(_sum_to_odd(left, right))
    return nearest_in_format(total, number_format=kept)


def _running(terms: list[float], add: Callable[[float, float], float]) -> float:
    total = 0.0
    for term in terms:
        total = add(total, term)
    return total


def _pairwise(level: list[float], add: Callable[[float, float], float]) -> float:
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [add(left, right) for left, right in pairs] + (level[-1:] if len(level) % 2 else [])
    return level[0] if level else 0.0


def _kahan(terms: list[float], add: Callable[[float, float], float]) -> float:
    total = carried = 0.0
    for term in terms:
        wanted = add(term, -carried)
        after = add(total, wanted)
        carried = add(add(after, -total), -wanted)
        total = after
    return total
