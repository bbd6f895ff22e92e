"""Formulas: number formats from their exponent and mantissa bits, rounding of one number, scales of a block."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import (
    Answers,
    Catalogue,
    at_most,
    each,
    finite_number,
    flag,
    integer_at_least,
    named,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
    text,
)

SPECIALS = ("ieee", "nan", "none")
OVERFLOWS = ("saturate", "infinity")
SCALE_RULES = ("floor", "ceiling")
_MOST_EXPONENT_BITS, _MOST_MANTISSA_BITS, _MOST_BIAS, _MOST_LISTED_BITS = 8, 23, 256, 16
_MOST = sys.float_info.max


@dataclass(frozen=True)
class FloatFormat(Answers):
    """A binary number format: which numbers it holds, by the bits of its exponent and of its mantissa.

    A code with exponent field j > 0 and mantissa field i stands for (1 + i/2^mantissa_bits) · 2^(j − bias), one with
    j = 0 for (i/2^mantissa_bits) · 2^(1 − bias). All these numbers, and their products with a scale that is a power of
    two, are Python floats without any rounding.

    Attributes:
        name: what the book calls it.
        exponent_bits: from 1 to 8. With one bit all numbers are equally far apart, as integers are.
        mantissa_bits: bits of the fraction that are stored, from 0 to 23; 0 for a format of scales only.
        bias: what is subtracted from the exponent field, from −256 to 256; left out, 2^(exponent_bits − 1) − 1.
        specials: which codes are no numbers: ``"ieee"``, the highest exponent, for infinities and NaNs; ``"nan"``, the
            code of ones alone, for NaN; ``"none"``, no code.
        scale_only: whether it has neither sign nor zero nor mantissa, as the format of a block's scale.
        source: where it is defined.

    Raises:
        ValueError: if the bits make no format: infinities need two exponent bits, and only scales have no mantissa.

    Example:
        >>> FloatFormat("e3m4", 3, 4).bias, FloatFormat("e3m4", 3, 4).bits
        (3, 8)
        >>> NUMBER_FORMATS["bf16"].significant_bits
        8
    """

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int | None = None
    specials: str = "ieee"
    scale_only: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        text("name", self.name)
        text("source", self.source)
        flag("scale_only", self.scale_only)
        exponent = at_most("exponent_bits", positive_integer("exponent_bits", self.exponent_bits), _MOST_EXPONENT_BITS)
        mantissa = at_most(
            "mantissa_bits", nonnegative_integer("mantissa_bits", self.mantissa_bits), _MOST_MANTISSA_BITS
        )
        bias = 2 ** (exponent - 1) - 1 if self.bias is None else integer_at_least("bias", self.bias, -_MOST_BIAS)
        if bias > _MOST_BIAS:
            raise ValueError(f"bias must be at most {_MOST_BIAS}, got {self.bias!r}")
        specials = named("specials", self.specials, SPECIALS)
        if self.scale_only != (mantissa == 0):
            allowed = "0 in a format of scales only" if self.scale_only else "at least 1 unless scale_only"
            raise ValueError(f"mantissa_bits must be {allowed} (scale_only={self.scale_only}), got {mantissa}")
        if specials == "ieee" and exponent < 2:
            raise ValueError(f"exponent_bits must be at least 2 where specials are 'ieee', got {exponent}")
        for name, value in (("exponent_bits", exponent), ("mantissa_bits", mantissa), ("bias", bias)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "specials", specials)

    @property
    def bits(self) -> int:
        """Bits of a code, the sign's included: 19 for tf32, which lies in 32 bits of memory.

        >>> NUMBER_FORMATS["e4m3"].bits, NUMBER_FORMATS["tf32"].bits, NUMBER_FORMATS["e8m0"].bits
        (8, 19, 8)
        """
        return (not self.scale_only) + self.exponent_bits + self.mantissa_bits

    @property
    def significant_bits(self) -> int:
        """Bits of a normal number's significand, q: the stored ones and the one that is not.

        >>> NUMBER_FORMATS["fp16"].significant_bits
        11
        """
        return self.mantissa_bits + 1

    @property
    def least_exponent(self) -> int:
        """Exponent of the least normal number: −14 in fp16.

        >>> NUMBER_FORMATS["fp16"].least_exponent, NUMBER_FORMATS["e8m0"].least_exponent
        (-14, -127)
        """
        assert self.bias is not None
        return (0 if self.scale_only else 1) - self.bias

    @property
    def largest_exponent(self) -> int:
        """Exponent of the largest finite number: 15 in fp16, 8 in E4M3.

        >>> NUMBER_FORMATS["fp16"].largest_exponent, NUMBER_FORMATS["e4m3"].largest_exponent
        (15, 8)
        """
        assert self.bias is not None
        reserved = self.specials == "ieee" or (self.specials == "nan" and self.scale_only)
        return (1 << self.exponent_bits) - 1 - reserved - self.bias

    @property
    def has_infinity(self) -> bool:
        """Whether it has codes for infinities.

        >>> NUMBER_FORMATS["e5m2"].has_infinity, NUMBER_FORMATS["e4m3"].has_infinity
        (True, False)
        """
        return self.specials == "ieee" and not self.scale_only


_IEEE, _FP8 = "IEEE 754-2019", "Micikevicius et al. 2022 (arXiv 2209.05433), table 1"
_MX = "OCP Microscaling Formats (MX) Specification 1.0"
_INTEGER = "integers without the lowest, so that each has its negative"

NUMBER_FORMATS = Catalogue(
    "number_format",
    FloatFormat,
    (
        FloatFormat("fp32", 8, 23, source=_IEEE + ", binary32"),
        FloatFormat("tf32", 8, 10, source="NVIDIA A100 whitepaper: fp32's exponent and fp16's mantissa"),
        FloatFormat("bf16", 8, 7, source="bfloat16: the upper half of an fp32 code"),
        FloatFormat("fp16", 5, 10, source=_IEEE + ", binary16"),
        FloatFormat("e4m3", 4, 3, specials="nan", source=_FP8),
        FloatFormat("e4m3-ieee", 4, 3, source="E4M3 with infinities, as IEEE 754 would have it"),
        FloatFormat("e5m2", 5, 2, source=_FP8),
        FloatFormat("e3m2", 3, 2, specials="none", source=_MX),
        FloatFormat("e2m3", 2, 3, specials="none", source=_MX),
        FloatFormat("e2m1", 2, 1, specials="none", source=_MX),
        FloatFormat("e8m0", 8, 0, specials="nan", scale_only=True, source=_MX),
        FloatFormat("int8", 1, 6, -5, specials="none", source=_INTEGER),
        FloatFormat("int4", 1, 2, -1, specials="none", source=_INTEGER),
    ),
    aliases={
        "float32": "fp32",
        "float16": "fp16",
        "bfloat16": "bf16",
        "fp8_e4m3": "e4m3",
        "fp8_e4m3fn": "e4m3",
        "float8_e4m3fn": "e4m3",
        "fp8_e4m3_ieee": "e4m3-ieee",
        "float8_e4m3": "e4m3-ieee",
        "fp8_e5m2": "e5m2",
        "float8_e5m2": "e5m2",
        "fp6_e3m2": "e3m2",
        "fp6_e3m2fn": "e3m2",
        "fp6_e2m3": "e2m3",
        "fp6_e2m3fn": "e2m3",
        "fp4": "e2m1",
        "fp4_e2m1": "e2m1",
        "fp4_e2m1fn": "e2m1",
        "ue8m0": "e8m0",
        "float8_e8m0fnu": "e8m0",
    },
)
"""Number formats by name. ``fp8`` alone is none of them: it may be E4M3 or E5M2."""


def largest_finite(number_format: FloatFormat | str) -> float:
    """Return the largest finite number of a format.

    Formula: $y_\\max = (2 - 2^{1-q})\\, 2^{i_\\max}$
    Symbols: y_max = the result; q = significant bits, the one that is not stored included; i_max = the largest
        exponent. Where the code of ones is NaN, 2^(2 − q) takes the place of 2^(1 − q)
    Chapter: 32

    Args:
        number_format: a name in ``NUMBER_FORMATS``, or a ``FloatFormat`` of your own.

    Returns:
        The number, exact.

    Source: Micikevicius et al. 2022, table 1, for the 8-bit formats; OCP MX 1.0 for the smaller ones.
    Convention: where the highest exponent is reserved (IEEE), i_max is one less.

    Example:
        >>> [largest_finite(name) for name in ("fp16", "e4m3", "e4m3-ieee", "e5m2", "e2m1")]
        [65504.0, 448.0, 240.0, 57344.0, 6.0]
    """
    kept = NUMBER_FORMATS.find(number_format)
    q, i_max = kept.significant_bits, kept.largest_exponent
    if kept.scale_only:
        return 2.0**i_max
    taken = 2 if kept.specials == "nan" else 1
    return (2 - taken * 2.0 ** (1 - q)) * 2.0**i_max


def least_normal(number_format: FloatFormat | str) -> float:
    """Return the least normal number of a format, below which its relative precision falls.

    Formula: $y_\\text{normal} = 2^{i_\\min}$
    Symbols: y_normal = the result; i_min = the least exponent, 1 less the bias
    Chapter: 32

    Args:
        number_format: as in ``largest_finite``.

    Returns:
        The number, exact. Of E8M0, which has no subnormal numbers, the least of all, 2⁻¹²⁷.

    Source: IEEE 754-2019; as ``largest_finite``.

    Example:
        >>> [least_normal(name) for name in ("fp16", "e4m3", "e2m1")]
        [6.103515625e-05, 0.015625, 1.0]
    """
    return 2.0 ** NUMBER_FORMATS.find(number_format).least_exponent


def least_subnormal(number_format: FloatFormat | str) -> float:
    """Return the least number above 0 of a format: half of it is rounded to 0.

    Formula: $y_\\min = 2^{i_\\min + 1 - q}$
    Symbols: y_min = the result; q = significant bits; i_min = the least exponent, 1 less the bias
    Chapter: 32

    Args:
        number_format: as in ``largest_finite``.

    Returns:
        The number, exact; of E8M0, which has no subnormal numbers, the least normal one.

    Source: as ``largest_finite``.
    Leaves out: devices that flush subnormal numbers to 0.

    Example:
        >>> [least_subnormal(name) for name in ("fp16", "e4m3", "e5m2", "e2m1")]
        [5.960464477539063e-08, 0.001953125, 1.52587890625e-05, 0.5]
    """
    kept = NUMBER_FORMATS.find(number_format)
    return 2.0 ** (kept.least_exponent + 1 - kept.significant_bits)


def unit_in_last_place(value: float, *, number_format: FloatFormat | str) -> float:
    """Return how far apart a format's numbers are from a number's magnitude on, upwards.

    Also: ulp, spacing
    Formula: $\\mathrm{ulp}(y) = 2^{\\max(\\lfloor \\log_2 |y| \\rfloor,\\; i_\\min) + 1 - q}$
    Symbols: y = value; q = significant bits; i_min = the least exponent, 1 less the bias
    Chapter: 32

    Args:
        value: any finite number, of the format or not.
        number_format: as in ``largest_finite``.

    Returns:
        The distance. It is machine epsilon at 1, and twice the unit roundoff; below the least normal number it is the
        least subnormal one. Just below a power of two it is half of that at it.

    Source: IEEE 754-2019.
    Leaves out: the largest number: beyond it the distance is told as if the format went on.

    Example:
        >>> [unit_in_last_place(1, number_format=name) for name in ("fp32", "fp16", "bf16", "e4m3")]
        [1.1920928955078125e-07, 0.0009765625, 0.0078125, 0.125]
        >>> unit_in_last_place(300, number_format="bf16")
        2.0
    """
    return _ulp(finite_number("value", value), NUMBER_FORMATS.find(number_format))


def _ulp(value: float, kept: FloatFormat) -> float:
    exponent = math.frexp(value)[1] - 1 if value else kept.least_exponent
    return 2.0 ** (max(exponent, kept.least_exponent) + 1 - kept.significant_bits)


def format_value_count(number_format: FloatFormat | str) -> int:
    """Return how many finite numbers a format holds; +0 and −0 count as one.

    Formula: $2\\,(2^{i_\\text{bits} + q - 1} - z) + 1$
    Symbols: i_bits = exponent bits; q = significant bits; z = codes of one sign that are 0 or no number: 1
        where none is special, 2 with one NaN, 1 + 2^(q − 1) in IEEE's formats
    Chapter: 32

    Args:
        number_format: as in ``largest_finite``.

    Returns:
        Numbers; of E8M0, which has no sign and no 0, 255.

    Source: derived in this book.

    Example:
        >>> [format_value_count(name) for name in ("e2m1", "e4m3", "e5m2", "int8", "e8m0")]
        [15, 253, 247, 255, 255]
    """
    kept = NUMBER_FORMATS.find(number_format)
    codes = 1 << (kept.exponent_bits + kept.mantissa_bits)
    special = {"ieee": 1 << kept.mantissa_bits, "nan": 1, "none": 0}[kept.specials]
    return codes - special if kept.scale_only else 2 * (codes - special - 1) + 1


def format_values(number_format: FloatFormat | str) -> tuple[float, ...]:
    """Return all finite numbers of a small format: what a number line of it shows.

    Formula: $y = \\pm\\bigl(1 + i\\, 2^{1-q}\\bigr)\\, 2^{j - o}$
    Symbols: y = a number; i = its mantissa field; j = its exponent field; o = bias; q = significant bits.
        For j = 0 it's ±i · 2^(1 − q) · 2^(1 − o)
    Chapter: 32

    Args:
        number_format: as in ``largest_finite``, of at most 16 bits.

    Returns:
        The numbers from the lowest to the highest, 0 once.

    Raises:
        ValueError: if the format has more than 16 bits.

    Source: OCP MX 1.0.

    Example:
        >>> [value for value in format_values("e2m1") if value >= 0]
        [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    """
    kept = NUMBER_FORMATS.find(number_format)
    if kept.bits > _MOST_LISTED_BITS:
        raise ValueError(f"number_format must have at most {_MOST_LISTED_BITS} bits, got {kept.name} with {kept.bits}")
    last = (format_value_count(kept) - 1) // (1 if kept.scale_only else 2)
    positive = [_decoded(code, kept) for code in range(last + 1)]
    return (*positive,) if kept.scale_only else (*(-value for value in positive[:0:-1]), *positive)


def _decoded(code: int, kept: FloatFormat) -> float:
    """Return what a code without its sign stands for."""
    assert kept.bias is not None
    field, fraction = divmod(code, 1 << kept.mantissa_bits)
    if kept.scale_only or field:
        return (1 + fraction * 2.0**-kept.mantissa_bits) * 2.0 ** (field - kept.bias)
    return fraction * 2.0**-kept.mantissa_bits * 2.0 ** (1 - kept.bias)


def nearest_in_format(value: float, *, number_format: FloatFormat | str, overflow: str = "saturate") -> float:
    """Return the nearest number of a format, of two equally near ones that whose last bit is 0.

    Also: round to nearest even
    Formula: $\\hat y = \\mathrm{ulp}(y)\\; \\mathrm{round}\\bigl(y / \\mathrm{ulp}(y)\\bigr)$
    Symbols: y = value; ŷ = the result, not beyond the largest; ulp = the gap between numbers there
    Chapter: 32

    Args:
        value: any finite number; above 0 where the format is one of scales only.
        number_format: as in ``largest_finite``.
        overflow: what becomes of a number that would round beyond the largest: ``"saturate"``, the largest, or
            ``"infinity"``, which needs a format that has one.

    Returns:
        The number, exact; an infinity only if ``overflow`` says so.

    Source: IEEE 754-2019, roundTiesToEven; OCP OFP8 1.0, the saturating conversion.
    Convention: −0 is 0. A tie between two scales of E8M0 goes up.
    Leaves out: NaN, which formats without infinities have in the place of an overflow if they don't saturate.

    Example:
        >>> [nearest_in_format(value, number_format="e2m1") for value in (0.25, 0.3, 2.5, 5, -100)]
        [0.0, 0.5, 2.0, 4.0, -6.0]
        >>> nearest_in_format(65_520, number_format="fp16", overflow="infinity")
        inf
    """
    kept, y = NUMBER_FORMATS.find(number_format), _in_domain(value, NUMBER_FORMATS.find(number_format))
    beyond = _overflow(overflow, kept)
    ulp = _ulp(y, kept)
    nearest, largest = ulp * round(y / ulp), largest_finite(kept)
    if kept.scale_only:
        nearest = max(nearest, least_normal(kept))
    if abs(nearest) > largest:
        return math.copysign(math.inf if beyond == "infinity" else largest, y)
    return nearest + 0.0


def _in_domain(value: float, kept: FloatFormat) -> float:
    return positive_number("value", value) if kept.scale_only else finite_number("value", value)


def _overflow(overflow: str, kept: FloatFormat) -> str:
    rule = named("overflow", overflow, OVERFLOWS)
    if rule == "infinity" and not kept.has_infinity:
        raise ValueError(f"overflow must be 'saturate' in {kept.name}, which has no infinities, got {overflow!r}")
    return rule


def neighbours_in_format(value: float, *, number_format: FloatFormat | str) -> tuple[float, float]:
    """Return the two numbers of a format between which a number lies: twice itself if the format holds it.

    Formula: $y_{-} = z\\, \\lfloor y / z \\rfloor,\\quad y_{+} = z\\, \\lceil y / z \\rceil$
    Symbols: y = value; y_−, y_+ = the result; z = the unit in the last place
    Chapter: 32

    Args:
        value: any finite number; above 0 where the format is one of scales only.
        number_format: as in ``largest_finite``.

    Returns:
        The one below and the one above; twice the largest, or the lowest, beyond it.

    Source: derived in this book.

    Example:
        >>> neighbours_in_format(2.2, number_format="e2m1"), neighbours_in_format(-7, number_format="e2m1")
        ((2.0, 3.0), (-6.0, -6.0))
    """
    kept, y = NUMBER_FORMATS.find(number_format), _in_domain(value, NUMBER_FORMATS.find(number_format))
    ulp, largest = _ulp(y, kept), largest_finite(kept)
    least = least_normal(kept) if kept.scale_only else -largest
    below, above = (min(max(ulp * whole, least), largest) for whole in (math.floor(y / ulp), math.ceil(y / ulp)))
    return below + 0.0, above + 0.0


def round_up_probability(value: float, *, number_format: FloatFormat | str) -> float:
    """Return how likely stochastic rounding takes the upper neighbour, so that the mean is the number itself.

    Formula: $\\dfrac{y - y_{-}}{y_{+} - y_{-}}$
    Symbols: y = value; y_−, y_+ = its neighbours in the format
    Chapter: 32

    Args:
        value: any finite number; above 0 where the format is one of scales only.
        number_format: as in ``largest_finite``.

    Returns:
        A share; 0 where the format holds the number, or it lies beyond the largest, which no rounding makes unbiased.

    Source: Gupta et al. 2015 (Deep Learning with Limited Numerical Precision), section 3.

    Example:
        >>> round_up_probability(2.25, number_format="e2m1")
        0.25
    """
    below, above = neighbours_in_format(value, number_format=number_format)
    return (finite_number("value", value) - below) / (above - below) if above > below else 0.0


def least_moving_update(weight: float, *, number_format: FloatFormat | str, towards_zero: bool = False) -> float:
    """Return half the distance from a weight to its neighbour: a smaller update is rounded away.

    Also: vanishing update, swamping
    Formula: $\\tfrac12\\, \\mathrm{ulp}(y)$
    Symbols: y = weight; ulp = the unit in the last place; from a normal power of two towards 0 it's half of this
    Chapter: 32

    Args:
        weight: any finite number; it is rounded to the format first.
        number_format: as in ``largest_finite``, but none of scales only.
        towards_zero: whether the update makes the weight smaller in magnitude.

    Returns:
        The magnitude of the update. What is smaller changes nothing and what is larger moves the weight; just this one
        is a tie, and moves a weight whose last bit is 1.

    Raises:
        ValueError: if the weight lies beyond the largest number, or it is 0 and
            ``towards_zero``.

    Source: derived in this book.
    Convention: weight and update are added exactly and rounded once, to nearest even.
    Leaves out: a step beyond the largest number, which saturates; stochastic rounding, by which the least update moves
        the weight now and then.

    Example:
        >>> least_moving_update(1.0, number_format="bf16"), least_moving_update(1.5, number_format="bf16")
        (0.00390625, 0.00390625)
        >>> least_moving_update(1.0, number_format="bf16", towards_zero=True)
        0.001953125
    """
    kept = _with_sign(number_format)
    given = finite_number("weight", weight)
    largest = largest_finite(kept)
    if abs(given) > largest:
        raise ValueError(f"weight must be at most {largest:g} in magnitude in {kept.name}, got {weight!r}")
    y = nearest_in_format(given, number_format=kept)
    if flag("towards_zero", towards_zero) and y == 0:
        raise ValueError(f"weight must not be 0 in {kept.name} for an update towards zero, got {weight!r}")
    narrow = towards_zero and abs(math.frexp(y)[0]) == 0.5 and abs(y) > least_normal(kept)
    return _ulp(y, kept) / (4 if narrow else 2)


def _with_sign(number_format: FloatFormat | str) -> FloatFormat:
    kept = NUMBER_FORMATS.find(number_format)
    if kept.scale_only:
        raise ValueError(f"number_format must have a sign and a mantissa, got {kept.name}")
    return kept


def stalled_count(number_format: FloatFormat | str) -> float:
    """Return where a running sum of ones stops, if each sum is rounded to the format.

    Formula: $\\min(2^q,\\; y_\\max)$
    Symbols: q = significant bits; y_max = the largest finite number
    Chapter: 32

    Args:
        number_format: as in ``largest_finite``, but none of scales only; it holds 1.

    Returns:
        The sum that one more does not change.

    Raises:
        ValueError: if the format does not hold 1.

    Source: derived in this book.
    Convention: rounded to nearest even; beyond the largest number the sum saturates.

    Example:
        >>> [stalled_count(name) for name in ("e4m3", "bf16", "fp16", "fp32")]
        [16.0, 256.0, 2048.0, 16777216.0]
    """
    kept = _with_sign(number_format)
    if nearest_in_format(1.0, number_format=kept) != 1:
        raise ValueError(f"number_format must hold 1, got {kept.name} with the largest number {largest_finite(kept):g}")
    return min(2.0**kept.significant_bits, largest_finite(kept))


def block_scaled_bits(number_format: FloatFormat | str, *, block: int, scale_bits: int = 8) -> float:
    """Return the bits of a number that shares its scale with its block.

    Formula: $\\nu + \\nu_\\text{scale} / \\text{block}$
    Symbols: ν = bits of the format; ν_scale = scale_bits; block = numbers that share a scale
    Chapter: 32

    Args:
        number_format: as in ``largest_finite``.
        block: numbers that share a scale.
        scale_bits: of the scale: 8 for E8M0 and E4M3, 32 for fp32; 0 without one.

    Returns:
        Bits for each number.

    Source: OCP MX 1.0 for the blocks of MX.
    Leaves out: blocks that are not full, a scale of the whole tensor, padding, and a copy for the transposed matrix.

    Example:
        >>> block_scaled_bits("e2m1", block=16), block_scaled_bits("e4m3", block=32)
        (4.5, 8.25)
    """
    kept, size = NUMBER_FORMATS.find(number_format), positive_integer("block", block)
    return kept.bits + nonnegative_integer("scale_bits", scale_bits) / size


def mx_block_scale(largest: float, *, number_format: FloatFormat | str = "e4m3", rule: str = "floor") -> float:
    """Return the power of two by which a block of the MX formats is divided before it is rounded.

    Formula: $2^{\\lfloor \\log_2 y \\rfloor - i_\\max}$
    Symbols: y = largest; i_max = the format's largest exponent. By the other rule the exponent is that of y over the
        format's largest number, rounded up
    Chapter: 32

    Args:
        largest: the block's largest magnitude, at least 0.
        number_format: of the block's numbers, as in ``largest_finite``.
        rule: ``"floor"``, as the OCP specification suggests: what then lies beyond the format's largest number
            saturates; or ``"ceiling"``, as Transformer Engine computes it: nothing saturates.

    Returns:
        The scale, a number of E8M0, not beyond its least and its largest; the least for a block of zeros.

    Source: OCP MX 1.0, section 6.3; Transformer Engine's documentation, MXFP8.

    Example:
        >>> mx_block_scale(500, number_format="e4m3"), mx_block_scale(500, number_format="e4m3", rule="ceiling")
        (1.0, 2.0)
    """
    kept, y = _with_sign(number_format), nonnegative_number("largest", largest)
    ceiling = named("rule", rule, SCALE_RULES) == "ceiling"
    scale_format = NUMBER_FORMATS["e8m0"]
    low, high = scale_format.least_exponent, scale_format.largest_exponent
    if y == 0:
        return 2.0**low
    exponent = math.frexp(y)[1] - 1 - kept.largest_exponent
    if ceiling:  # compare, rather than divide: a quotient would be rounded
        most = largest_finite(kept) / 2.0**kept.largest_exponent  # from 1 to 2
        exponent += 2 * math.frexp(y)[0] > most
    return 2.0 ** min(max(exponent, low), high)


def nvfp4_tensor_scale(largest: float) -> float:
    """Return the fp32 number by which NVFP4 divides a whole tensor, so that its blocks' scales fit E4M3.

    Formula: $y / (448 \\cdot 6)$
    Symbols: y = largest
    Chapter: 32

    Args:
        largest: the tensor's largest magnitude, at least 0 and at most fp32's largest number.

    Returns:
        The scale; 1 for a tensor of zeros; not below fp32's least normal number.

    Source: NVIDIA 2025 (Pretraining Large Language Models with NVFP4, arXiv 2509.25149); Transformer Engine's
        documentation, NVFP4.
    Convention: numbers are this scale × the block's scale × an E2M1 number; libraries keep its reciprocal too.

    Example:
        >>> nvfp4_tensor_scale(2688.0)
        1.0
    """
    y, most = nonnegative_number("largest", largest), largest_finite("fp32")
    if y > most:
        raise ValueError(f"largest must be at most {most:g}, the largest number of fp32, got {largest!r}")
    if y == 0:
        return 1.0
    whole = y / (largest_finite("e4m3") * largest_finite("e2m1"))
    return max(nearest_in_format(whole, number_format="fp32"), least_normal("fp32"))


def nvfp4_block_scale(largest: float, *, tensor_scale: float) -> float:
    """Return the E4M3 scale of a block of 16 numbers in NVFP4.

    Formula: $\\mathrm{E4M3}\\bigl(y / (6\\, z)\\bigr)$
    Symbols: y = largest; z = tensor_scale
    Chapter: 32

    Args:
        largest: the block's largest magnitude, at least 0.
        tensor_scale: of the whole tensor, ``nvfp4_tensor_scale``.

    Returns:
        The scale, a number of E4M3 from 0 to 448. It is 0 where the block is that much smaller than the tensor: all its
        numbers are then 0.

    Source: as ``nvfp4_tensor_scale``.
    Convention: rounded to nearest, so that the block's largest number may saturate at 6 or be rounded below it.

    Example:
        >>> nvfp4_block_scale(12.0, tensor_scale=1.0), nvfp4_block_scale(13.0, tensor_scale=1.0)
        (2.0, 2.25)
    """
    y, z = nonnegative_number("largest", largest), positive_number("tensor_scale", tensor_scale)
    ratio = y / largest_finite("e2m1") / z
    if not math.isfinite(ratio):
        raise ValueError(f"tensor_scale must be larger: largest / tensor_scale overflows, got {tensor_scale!r}")
    return nearest_in_format(ratio, number_format="e4m3")


def scaled_block(values: Sequence[float], *, scale: float, number_format: FloatFormat | str) -> tuple[float, ...]:
    """Return what is left of a block's numbers: each divided by the scale, rounded to the format, and multiplied again.

    Formula: $\\hat y_i = z\\, \\mathrm{round}(y_i / z)$
    Symbols: y_i = the i-th of values; z = scale; ŷ_i = the i-th result; round = to the nearest number of the format
    Chapter: 32

    Args:
        values: the block's numbers, each any finite number.
        scale: from 0, for which all are 0.
        number_format: as in ``largest_finite``, but none of scales only.

    Returns:
        As many numbers; what lies beyond the format's largest number times the scale saturates.

    Raises:
        ValueError: if a product overflows.

    Source: derived in this book.
    Convention: quotients and products are those of Python's floats: exact where the scale is a power of two.

    Example:
        >>> scaled_block([0.1, 0.2, 3.0], scale=0.5, number_format="e2m1")
        (0.0, 0.25, 3.0)
    """
    kept, factor = _with_sign(number_format), nonnegative_number("scale", scale)
    numbers = each("values", values, finite_number)
    if factor == 0:
        return (0.0,) * len(numbers)
    divided = [max(-_MOST, min(number / factor, _MOST)) for number in numbers]  # beyond a float is beyond any format
    back = tuple(factor * nearest_in_format(number, number_format=kept) for number in divided)
    if not all(map(math.isfinite, back)):
        raise ValueError(f"scale must be smaller: a product overflows, got {scale!r}")
    return back
