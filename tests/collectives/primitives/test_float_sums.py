"""Sums that round: against NumPy's float32, against bfloat16 by its bits, and against exact sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.collectives.primitives.float_sums import BFLOAT16_BITS, FLOAT32_BITS, pairwise_sum, rounded, running_sums
from snippets.simulation.algorithms import build_collective
from snippets.simulation.runner import run

SINGLES = st.floats(width=32, allow_nan=False, min_value=-(2.0**100), max_value=2.0**100, allow_subnormal=False)


def bfloat16_by_bits(number: float) -> float:
    """Cut float32's lower 16 bits off, after adding what rounds to nearest and ties to even."""
    bits = int(np.float32(number).view(np.uint32))
    bits += 0x7FFF + (bits >> 16 & 1)
    return float(np.uint32(bits & 0xFFFF0000).view(np.float32))


@given(
    number=st.floats(min_value=-1e30, max_value=1e30, allow_subnormal=False).filter(lambda x: not 0 < abs(x) < 1e-30)
)
def test_24_bits_are_float32(number: float) -> None:
    assert rounded(number, significant_bits=FLOAT32_BITS) == float(np.float32(number))


@given(number=SINGLES.filter(lambda x: not 0 < abs(x) < 1e-30))
def test_8_bits_are_bfloat16(number: float) -> None:
    assert rounded(number, significant_bits=BFLOAT16_BITS) == bfloat16_by_bits(number)


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_53_bits_change_nothing_that_is_normal(number: float) -> None:
    if abs(number) >= 2.3e-308:
        assert rounded(number, significant_bits=53) == number


@given(vectors=st.lists(st.integers(-(10**9), 10**9).map(float), min_size=4, max_size=4))
def test_the_rings_sums_are_running_sums_in_its_order(vectors: list[float]) -> None:
    arrays = [np.full(4, number, dtype=np.float32) for number in vectors]
    held = [float(values[0]) for values in arrays]
    sums = run(build_collective("all_reduce", "ring", ranks=4, length=4), arrays).outputs[0].tolist()
    orders = [[held[(chunk + 1 + hop) % 4] for hop in range(4)] for chunk in range(4)]
    assert sums == [running_sums(order, significant_bits=FLOAT32_BITS)[-1] for order in orders]


@given(numbers=st.lists(st.integers(-999, 999), min_size=1, max_size=40))
def test_sums_of_small_integers_are_exact_in_every_order(numbers: list[int]) -> None:
    values = [float(number) for number in numbers]
    assert running_sums(values, significant_bits=FLOAT32_BITS)[-1] == sum(numbers)
    assert pairwise_sum(values, significant_bits=FLOAT32_BITS) == sum(numbers)


def test_a_chain_of_ones_stops_at_256_and_a_tree_does_not() -> None:
    chain = running_sums([1] * 600, significant_bits=BFLOAT16_BITS)
    assert chain == tuple(float(min(count, 256)) for count in range(1, 601))
    assert pairwise_sum([1] * 512, significant_bits=BFLOAT16_BITS) == 512


def test_a_number_without_a_neighbour_waits_for_the_next_level() -> None:
    big = 2.0**24
    assert pairwise_sum([big, 1, 1], significant_bits=FLOAT32_BITS) == big
    assert pairwise_sum([big, -big, 1], significant_bits=FLOAT32_BITS) == 1


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="significant_bits must be at most 53"):
        rounded(1, significant_bits=54)
    with pytest.raises(ValueError, match="value must round"):
        rounded(1.7976931348623157e308, significant_bits=8)
    with pytest.raises(ValueError, match="values must round and add up"):
        running_sums([1.7e308, 1.7e308], significant_bits=53)
    with pytest.raises(ValueError, match="values must hold one number"):
        pairwise_sum([], significant_bits=8)
    assert running_sums([], significant_bits=8) == ()
    assert math.copysign(1, rounded(0, significant_bits=8)) == 1
