"""Chapter 32: formats and rounding, against every code as others read it, exact fractions, other casts."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from snippets.collectives.primitives.float_sums import rounded, running_sums
from snippets.efficiency.precision.formats import (
    NUMBER_FORMATS,
    FloatFormat,
    block_scaled_bits,
    format_value_count,
    format_values,
    largest_finite,
    least_moving_update,
    least_normal,
    least_subnormal,
    mx_block_scale,
    nearest_in_format,
    neighbours_in_format,
    nvfp4_block_scale,
    nvfp4_tensor_scale,
    round_up_probability,
    scaled_block,
    stalled_count,
    unit_in_last_place,
)
from snippets.efficiency.precision.rounding import round_to_format

PUBLISHED = json.loads((Path(__file__).parent / "published_formats.json").read_text(encoding="utf-8"))
SMALL = ["e4m3", "e4m3-ieee", "e5m2", "e3m2", "e2m3", "e2m1", "int8", "int4"]
SIGNED = [name for name in NUMBER_FORMATS if name != "e8m0"]


@st.composite
def formats(draw: st.DrawFn) -> FloatFormat:
    """Draw a format of at most 9 bits."""
    specials = draw(st.sampled_from(["ieee", "nan", "none"]))
    exponent = draw(st.integers(2 if specials == "ieee" else 1, 5))
    return FloatFormat("drawn", exponent, draw(st.integers(1, 3)), draw(st.integers(-40, 40)), specials)


def codes(kept: FloatFormat) -> list[Fraction]:
    """Return the numbers of at least 0, each at the place of its code, by the specification's rule."""
    assert kept.bias is not None
    field, found = 2**kept.mantissa_bits, []
    for code in range(2 ** (kept.exponent_bits + kept.mantissa_bits)):
        high, low = code // field, code % field
        if kept.specials == "ieee" and high == 2**kept.exponent_bits - 1:
            break
        if kept.specials == "nan" and code == 2 ** (kept.exponent_bits + kept.mantissa_bits) - 1:
            break
        if kept.scale_only:
            found.append(Fraction(2) ** (high - kept.bias))
        else:
            part, power = (1, high) if high else (0, 1)
            found.append((part + Fraction(low, field)) * Fraction(2) ** (power - kept.bias))
    return found


def brute(value: Fraction, numbers: list[Fraction]) -> Fraction:
    """Return the nearest of all numbers by their distances, of two the one of even code: no arithmetic on exponents."""
    size = abs(value)
    distance = min(abs(size - number) for number in numbers)
    nearest = [code for code, number in enumerate(numbers) if abs(size - number) == distance]
    code = nearest[0] if len(nearest) == 1 or nearest[0] % 2 == 0 else nearest[1]
    return numbers[code] if value >= 0 else -numbers[code]


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row["id"])
def test_published_facts(row: dict[str, Any]) -> None:
    kept, printed = NUMBER_FORMATS[row["inputs"]["format"]], row["expected"]
    assert kept.bits == row["inputs"]["bits"]
    assert unit_in_last_place(1.0, number_format=kept) == printed["eps"]
    assert least_normal(kept) == printed["min_normal"]
    for found, known in (
        (largest_finite(kept), printed["max"]),
        (least_subnormal(kept), printed["min_subnormal"]),
    ):
        assert known is None or found == known


def test_all_ten_published_formats_are_there() -> None:
    assert len({NUMBER_FORMATS[row["inputs"]["format"]].name for row in PUBLISHED}) == len(PUBLISHED) == 10


def test_the_table_of_the_four_bit_format() -> None:
    """As OCP MX 1.0 lists it, and the numbers below 0."""
    positive = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    assert list(format_values("e2m1")) == [-value for value in positive[:0:-1]] + positive
    assert list(format_values("int8")) == list(range(-127, 128))
    assert list(format_values("int4")) == list(range(-7, 8))


def test_every_code_of_sixteen_bits() -> None:
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float64)
    assert list(format_values("fp16")) == sorted(set(halves[np.isfinite(halves)].tolist()))
    upper = (np.arange(2**16, dtype=np.uint32) << 16).view(np.float32)
    assert list(format_values("bf16")) == sorted(set(upper[np.isfinite(upper)].tolist()))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("e4m3", "float8_e4m3fn"), ("e5m2", "float8_e5m2"), ("e8m0", "float8_e8m0fnu")],
)
def test_every_code_of_eight_bits_as_pytorch_reads_it(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    read = torch.arange(256, dtype=torch.uint8).view(getattr(torch, dtype)).to(torch.float64).numpy()
    assert list(format_values(name)) == sorted(set(read[np.isfinite(read)].tolist()))


@given(kept=formats())
def test_facts_are_those_of_the_enumerated_numbers(kept: FloatFormat) -> None:
    numbers = codes(kept)
    assert list(map(Fraction, format_values(kept)))[len(numbers) - 1 :] == numbers
    assert format_value_count(kept) == len(format_values(kept)) == 2 * len(numbers) - 1
    assert (Fraction(largest_finite(kept)), Fraction(least_subnormal(kept))) == (numbers[-1], numbers[1])
    if 2**kept.mantissa_bits < len(numbers):
        assert Fraction(least_normal(kept)) == numbers[2**kept.mantissa_bits]
    for low, high in pairwise(numbers):
        assert Fraction(unit_in_last_place(float(low), number_format=kept)) == high - low


@pytest.mark.parametrize("name", SMALL)
def test_the_nearest_of_all_numbers_of_a_small_format(name: str) -> None:
    """All numbers, the midpoints between neighbours, and what lies a hair beside them, of both signs."""
    numbers = codes(NUMBER_FORMATS[name])
    middles = [(low + high) / 2 for low, high in pairwise(numbers)]
    near = [point * (1 + Fraction(side, 2**40)) for point in middles for side in (-1, 0, 1)]
    tried = [float(sign * value) for value in [*numbers, *near, 2 * numbers[-1]] for sign in (1, -1)]
    assert all(Fraction(value) in (*near, *(-each for each in near)) for value in map(float, near))  # nothing is lost
    wanted = [float(brute(Fraction(value), numbers)) for value in tried]
    assert round_to_format(tried, number_format=name).tolist() == wanted
    assert [nearest_in_format(value, number_format=name) for value in tried] == wanted


@given(kept=formats(), data=st.data())
def test_the_nearest_number_of_any_format(kept: FloatFormat, data: st.DataObject) -> None:
    numbers = codes(kept)
    value = float(data.draw(st.fractions(-2 * numbers[-1], 2 * numbers[-1])))
    wanted = float(brute(Fraction(value), numbers))
    assert nearest_in_format(value, number_format=kept) == wanted
    assert round_to_format(value, number_format=kept).item() == wanted


def test_numpys_half_on_all_midpoints() -> None:
    held = np.array(format_values("fp16"))
    middles = (held[1:] + held[:-1]) / 2
    beside = [np.nextafter(middles, side) for side in (-np.inf, np.inf)]
    edge = [65_519.99, 65_520.0, 1e30]
    for values in (held, middles, *beside, np.array([*edge, *(-value for value in edge)])):
        with np.errstate(over="ignore"):
            cast = values.astype(np.float16).astype(np.float64)
        assert np.array_equal(round_to_format(values, number_format="fp16", overflow="infinity"), cast)
        capped = np.clip(cast, -65_504, 65_504)
        assert np.array_equal(round_to_format(values, number_format="fp16"), capped)


@given(words=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=50))
@example([0x3F80_8000, 0x3F81_8000, 0x7F7F_8000, 0x0000_8000, 0x8000_0001])
def test_bfloat16_by_the_bits_of_a_float32(words: list[int]) -> None:
    raw = np.array(words, dtype=np.uint32)
    singles = raw.view(np.float32)
    raw, singles = raw[np.isfinite(singles)], singles[np.isfinite(singles)].astype(np.float64)
    bits = raw.astype(np.uint64)
    upper = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
    found = round_to_format(singles, number_format="bf16", overflow="infinity")
    assert np.array_equal(found, upper.astype(np.float64))


@given(values=st.lists(st.floats(-1e39, 1e39), min_size=1, max_size=50))
def test_numpys_single(values: list[float]) -> None:
    with np.errstate(over="ignore"):
        cast = np.array(values).astype(np.float32).astype(np.float64)
    assert np.array_equal(round_to_format(values, number_format="fp32", overflow="infinity"), cast)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("e4m3", "float8_e4m3fn"), ("e5m2", "float8_e5m2"), ("bf16", "bfloat16"), ("e8m0", "float8_e8m0fnu")],
)
def test_pytorchs_casts(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    held = np.array(format_values(name))
    held = held[np.abs(held) >= 2.0**-120]  # what float32 holds with all midpoints as normal numbers
    middles = (held[1:] + held[:-1]) / 2
    values = np.concatenate(
        [held, middles, *(np.nextafter(middles.astype(np.float32), np.float32(x)) for x in (0, 9e9))]
    )
    cast = torch.tensor(values, dtype=torch.float32).to(getattr(torch, dtype)).to(torch.float64).numpy()
    assert np.array_equal(round_to_format(values.astype(np.float32), number_format=name), cast)


@given(value=st.floats(-1e30, 1e30), bits=st.sampled_from(["fp32", "bf16"]))
def test_normal_numbers_are_rounded_as_chapter_12_does(value: float, bits: str) -> None:
    kept = NUMBER_FORMATS[bits]
    assume(value == 0 or abs(value) >= least_normal(kept))
    assert nearest_in_format(value, number_format=kept) == rounded(value, significant_bits=kept.significant_bits)


def test_tf32_cuts_thirteen_bits() -> None:
    """A float32 that has 13 zeros at its end is a number of tf32, and no other is."""
    singles = np.random.default_rng(32).integers(0, 0x7F80_0000, 4000, dtype=np.uint32)
    cut = (singles & np.uint32(0xFFFF_E000)).view(np.float32).astype(np.float64)
    assert np.array_equal(round_to_format(cut, number_format="tf32"), cut)
    others = (singles | np.uint32(1)).view(np.float32).astype(np.float64)
    assert not (round_to_format(others, number_format="tf32") == others).any()


# Rounding at random.


@given(kept=formats(), data=st.data())
def test_the_mean_of_the_neighbours_is_the_number(kept: FloatFormat, data: st.DataObject) -> None:
    numbers = codes(kept)
    value = float(data.draw(st.fractions(-numbers[-1], numbers[-1], max_denominator=2**44)))
    held = sorted({*numbers, *(-number for number in numbers)})
    place = bisect_left(held, Fraction(value))
    exact = held[place] == Fraction(value)
    below, above = neighbours_in_format(value, number_format=kept)
    assert (Fraction(below), Fraction(above)) == (held[place if exact else place - 1], held[place])
    chance = round_up_probability(value, number_format=kept)
    mean = (1 - Fraction(chance)) * Fraction(below) + Fraction(chance) * Fraction(above)
    assert abs(mean - Fraction(value)) <= Fraction(1, 2**50) * (Fraction(above) - Fraction(below))


class Drawn(np.random.Generator):
    """A generator whose every random number is the same."""

    def __init__(self, number: float) -> None:
        super().__init__(np.random.PCG64(0))
        self._number = number

    def random(self, size: Any = None, *_: Any, **__: Any) -> Any:
        return np.full(size, self._number)


@pytest.mark.parametrize("name", [*SMALL, "bf16", "fp16"])
def test_numbers_drawn_below_the_probability_round_up(name: str) -> None:
    """The switch is at the probability itself, so the mean over even random numbers is the number."""
    largest = largest_finite(name)
    values = np.random.default_rng(3).uniform(-largest, largest, 300) * np.geomspace(1e-6, 1, 300)
    for value in values.tolist():
        below, above = neighbours_in_format(value, number_format=name)
        chance = round_up_probability(value, number_format=name)
        for number, wanted in ((np.nextafter(chance, -1), above), (chance, below), (0.0, above), (1 - 2**-53, below)):
            if 0 <= number < 1 and (number < chance) == (wanted == above):
                found = round_to_format(value, number_format=name, generator=Drawn(float(number)))
                assert found.item() == wanted


def test_many_draws_average_to_the_number() -> None:
    rng = np.random.default_rng(5)
    for value in (1.003, -0.7, 3e-6):
        drawn = round_to_format(np.full(200_000, value), number_format="bf16", generator=rng)
        below, above = neighbours_in_format(value, number_format="bf16")
        assert set(drawn.tolist()) == {below, above}
        assert abs(drawn.mean() - value) < 4 * (above - below) / 2 / 200_000**0.5


@pytest.mark.parametrize("name", SIGNED)
def test_what_a_format_holds_stays(name: str) -> None:
    numbers = round_to_format(np.random.default_rng(1).normal(size=500), number_format=name)
    assert np.array_equal(round_to_format(numbers, number_format=name, generator=np.random.default_rng(0)), numbers)
    assert np.array_equal(round_to_format(numbers, number_format=name), numbers)


def test_overflow() -> None:
    for name in SIGNED:
        kept, largest = NUMBER_FORMATS[name], largest_finite(name)
        assert round_to_format([1e300, -1e300], number_format=name).tolist() == [largest, -largest]
        if kept.has_infinity:
            beyond = round_to_format([1e300, -1e300], number_format=name, overflow="infinity")
            assert beyond.tolist() == [math.inf, -math.inf]
        else:
            for function in (nearest_in_format, round_to_format):
                with pytest.raises(ValueError, match="overflow must be 'saturate'"):
                    function(1.0, number_format=name, overflow="infinity")


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_a_scale_is_above_zero(value: float) -> None:
    for call in (nearest_in_format, round_to_format, neighbours_in_format):
        with pytest.raises(ValueError, match="above 0"):
            call(value, number_format="e8m0")


def test_scales_of_eight_exponent_bits() -> None:
    assert nearest_in_format(1e-300, number_format="e8m0") == 2.0**-127 == round_to_format(1e-300, number_format="e8m0")
    assert nearest_in_format(1e300, number_format="e8m0") == 2.0**127 == round_to_format(1e300, number_format="e8m0")
    for value, wanted in ((1.5, 2.0), (1.49, 1.0), (3.0, 4.0)):
        assert nearest_in_format(value, number_format="e8m0") == wanted == round_to_format(value, number_format="e8m0")
    assert neighbours_in_format(5.0, number_format="e8m0") == (4.0, 8.0)


# What moves a weight.


@pytest.mark.parametrize("name", ["e2m1", "e4m3", "e4m3-ieee", "e5m2", "int8", "fp16", "bf16"])
def test_the_least_update_that_moves_each_weight(name: str) -> None:
    """Over all weights of a format: half of it doesn't move, a hair more does, and a tie moves the odd ones."""
    held = [value for value in format_values(name) if value >= 0]
    stride = max(1, len(held) // 500)
    for place in range(0, len(held) - 1, stride):
        weight, odd = held[place], place % 2 == 1
        for towards in (False, True)[: 2 if weight else 1]:
            least = least_moving_update(weight, number_format=name, towards_zero=towards)
            neighbour = held[place - 1] if towards else held[place + 1]
            assert Fraction(least) == abs(Fraction(neighbour) - Fraction(weight)) / 2
            for share, moved in ((1 - 2**-30, False), (1 + 2**-30, True), (1, odd)):
                after = weight + (-1 if towards else 1) * share * least
                assert (nearest_in_format(after, number_format=name) != weight) == moved
            assert least == least_moving_update(-weight, number_format=name, towards_zero=towards)


@pytest.mark.parametrize("name", ["e4m3", "e5m2", "e2m1", "e2m3", "e3m2", "int8", "int4", "bf16", "fp16"])
def test_where_a_sum_of_ones_stops(name: str) -> None:
    total = 0.0
    while (after := nearest_in_format(total + 1, number_format=name)) != total:
        total = after
    assert total == stalled_count(name)
    if name in ("bf16", "fp16"):
        ones = running_sums([1.0] * 3000, significant_bits=NUMBER_FORMATS[name].significant_bits)
        assert max(ones) == stalled_count(name)


def test_formats_that_cannot_count_are_refused() -> None:
    with pytest.raises(ValueError, match="must hold 1"):
        stalled_count(FloatFormat("small", 2, 1, 9, "none"))
    for call in (stalled_count, lambda name: least_moving_update(1.0, number_format=name)):
        with pytest.raises(ValueError, match="must have a sign"):
            call("e8m0")
    with pytest.raises(ValueError, match="must not be 0"):
        least_moving_update(0.0, number_format="bf16", towards_zero=True)
    with pytest.raises(ValueError, match="at most 65504"):
        least_moving_update(65_520, number_format="fp16")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"exponent_bits": 1, "mantissa_bits": 2}, "exponent_bits must be at least 2"),
        ({"exponent_bits": 9, "mantissa_bits": 2}, "exponent_bits must be at most 8"),
        ({"exponent_bits": 4, "mantissa_bits": 0}, "mantissa_bits must be at least 1"),
        ({"exponent_bits": 8, "mantissa_bits": 1, "scale_only": True}, "mantissa_bits must be 0"),
        ({"exponent_bits": 4, "mantissa_bits": 24}, "mantissa_bits must be at most 23"),
        ({"exponent_bits": 4, "mantissa_bits": 3, "bias": 257}, "bias must be at most 256"),
        ({"exponent_bits": 4, "mantissa_bits": 3, "specials": "some"}, "specials must be one of"),
    ],
)
def test_bits_that_make_no_format(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        FloatFormat("wrong", **fields)


def test_a_long_format_is_not_listed() -> None:
    with pytest.raises(ValueError, match="at most 16 bits"):
        format_values("tf32")
    with pytest.raises(ValueError, match="'e4m3'"):
        NUMBER_FORMATS["fp8"]


# Scales of one block.


def test_bits_of_the_named_block_formats() -> None:
    assert block_scaled_bits("e2m1", block=16) == 4.5  # NVFP4
    assert block_scaled_bits("e2m1", block=32) == 4.25  # MXFP4
    assert block_scaled_bits("e4m3", block=32) == 8.25  # MXFP8
    assert block_scaled_bits("e4m3", block=128 * 128, scale_bits=32) == 8 + 1 / 512


@given(largest=st.floats(1e-30, 1e30), name=st.sampled_from(["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"]))
@example(448.0, "e4m3")
@example(449.0, "e4m3")
@example(512.0, "e4m3")
@example(7.0, "e2m1")
def test_the_scale_of_a_block_by_search(largest: float, name: str) -> None:
    most, exact = Fraction(largest_finite(name)), Fraction(largest)
    powers = [Fraction(2) ** power for power in range(-127, 128)]
    fits = next(scale for scale in powers if exact / scale <= most)
    assert Fraction(mx_block_scale(largest, number_format=name, rule="ceiling")) == fits
    top = Fraction(2) ** NUMBER_FORMATS[name].largest_exponent
    floor = next(scale for scale in powers if exact / scale < 2 * top)
    assert Fraction(mx_block_scale(largest, number_format=name)) == floor
    assert fits in (floor, 2 * floor)


def test_scales_end_where_their_format_does() -> None:
    assert mx_block_scale(0.0) == mx_block_scale(1e-300) == 2.0**-127
    assert mx_block_scale(1e300) == 2.0**127
    assert nvfp4_tensor_scale(0.0) == 1.0
    assert nvfp4_tensor_scale(1e-44) == 2.0**-126
    assert nvfp4_block_scale(0.0, tensor_scale=1.0) == 0.0


@given(largest=st.floats(1e-20, 1e20), share=st.floats(0, 1))
def test_the_largest_block_of_a_tensor_uses_the_largest_scale(largest: float, share: float) -> None:
    scale = nvfp4_tensor_scale(largest)
    assert scale == float(np.float32(largest / 2688))
    assert nvfp4_block_scale(largest, tensor_scale=scale) == 448
    found = nvfp4_block_scale(share * largest, tensor_scale=scale)
    assert found == round_to_format(share * largest / 6 / scale, number_format="e4m3").item()


def test_a_scaled_block_by_hand() -> None:
    assert scaled_block([6.0, 0.5, -1.2, 13.0], scale=2.0, number_format="e2m1") == (6.0, 0.0, -1.0, 12.0)
    assert scaled_block([6.0, 1.0], scale=0, number_format="e2m1") == (0.0, 0.0)
    assert scaled_block([1e300], scale=1e-300, number_format="e2m1") == (6e-300,)
    with pytest.raises(ValueError, match="scale must be smaller"):
        scaled_block([1.7e308], scale=1.2e308, number_format="e2m1")
