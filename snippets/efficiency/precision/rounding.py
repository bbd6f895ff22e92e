"""Simulators: arrays rounded to any number format, to the nearest number or at random, with nothing else rounded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array, random_generator
from snippets.domain import named
from snippets.efficiency.precision.formats import (
    NUMBER_FORMATS,
    OVERFLOWS,
    FloatFormat,
    largest_finite,
    least_normal,
)

FloatArray = npt.NDArray[np.float64]


def round_to_format(
    values: npt.ArrayLike,
    *,
    number_format: FloatFormat | str,
    overflow: str = "saturate",
    generator: np.random.Generator | None = None,
) -> FloatArray:
    """Round numbers to a format: to the nearest number, or at random so that the mean is kept.

    Args:
        values: an array of any shape, of any finite numbers; above 0 where the format is one of scales only.
        number_format: a name in ``NUMBER_FORMATS``, or a ``FloatFormat`` of your own.
        overflow: what becomes of a number that would round beyond the largest: ``"saturate"``, the largest, or
            ``"infinity"``, which needs a format that has one.
        generator: where given, a number between two of the format goes to either, upwards with a probability that is
            its distance from the lower one in units of the gap; where left out, to the nearest, and a tie to the one
            whose last bit is 0.

    Returns:
        Numbers of the format, exact, of the same shape; infinities only if ``overflow`` says so.

    Source: IEEE 754-2019, roundTiesToEven; Gupta et al. 2015, section 3, for rounding at random.
    Convention: one random number for each value; −0 is 0; a tie between two scales of E8M0 goes up.
    Leaves out: NaN. Rounding at random is not unbiased beyond the largest number, nor finer than the 2⁻⁵³ of NumPy's
        random numbers.

    Example:
        >>> round_to_format([0.3, 2.5, 5.0, 100.0], number_format="e2m1")
        array([0.5, 2. , 4. , 6. ])
        >>> at_random = round_to_format([2.25] * 4000, number_format="e2m1", generator=np.random.default_rng(0))
        >>> sorted(set(at_random.tolist())), round(float(at_random.mean()), 2)
        ([2.0, 3.0], 2.25)
    """
    kept, numbers = NUMBER_FORMATS.find(number_format), finite_array("values", values)
    if kept.scale_only and (numbers <= 0).any():
        raise ValueError(f"values must be above 0 in {kept.name}, got {numbers[numbers <= 0][0]}")
    rule = named("overflow", overflow, OVERFLOWS)
    if rule == "infinity" and not kept.has_infinity:
        raise ValueError(f"overflow must be 'saturate' in {kept.name}, which has no infinities, got {overflow!r}")
    exponents = np.frexp(numbers)[1] - 1
    steps = np.maximum(exponents, kept.least_exponent) + 1 - kept.significant_bits  # exponents of the gaps
    ratios = np.ldexp(numbers, -steps)
    if generator is None:
        whole = np.rint(ratios)
    else:
        lower = np.floor(ratios)
        whole = lower + (random_generator("generator", generator).random(ratios.shape) < ratios - lower)
    with np.errstate(over="ignore"):  # the largest floats round to 2¹⁰²⁴, which is beyond any format
        rounded = np.ldexp(whole, steps)
    largest = largest_finite(kept)
    if kept.scale_only:
        rounded = np.maximum(rounded, least_normal(kept))
    beyond = np.inf if rule == "infinity" else largest
    result: FloatArray = np.where(np.abs(rounded) > largest, np.copysign(beyond, numbers), rounded) + 0.0
    return result
