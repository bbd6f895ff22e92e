"""Chapter 32: what a format buys is what a clock measures, and an update vanishes where exact sums say so."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.composition.layouts import Layout
from snippets.composition.step_constants import device_constants
from snippets.composition.step_model import step_time
from snippets.efficiency.precision.formulas import (
    mixed_format_flops_per_s,
    partial_speedup,
    quantizing_bytes,
)


@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.integers(1, 5), st.integers(1, 9))
def test_the_speedup_is_what_a_clock_measures(parts: list[int], faster: int, factor: int) -> None:
    """Run the parts one after the other, before and after some of them got faster."""
    chosen = parts[:faster]
    before = sum(parts)
    after = sum(Fraction(part, factor) if index < faster else Fraction(part) for index, part in enumerate(parts))
    found = partial_speedup(share=sum(chosen) / before, speedup=factor)
    assert found == pytest.approx(float(before / after))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), min_size=1, max_size=5))
def test_a_mixed_rate_is_what_a_clock_measures(parts: list[tuple[int, int]]) -> None:
    work = sum(part for part, _ in parts)
    if not work:
        with pytest.raises(ValueError, match="above 0 in at least one part"):
            mixed_format_flops_per_s(flops=[0.0], flops_per_s=[1.0])
        return
    seconds = sum(Fraction(part, rate) for part, rate in parts)
    found = mixed_format_flops_per_s(flops=[part for part, _ in parts], flops_per_s=[rate for _, rate in parts])
    assert found == pytest.approx(float(work / seconds))


def test_rates_and_parts_have_to_match() -> None:
    with pytest.raises(ValueError, match="of one length, got 2 and 1"):
        mixed_format_flops_per_s(flops=[1, 1], flops_per_s=[1])


def test_the_bytes_of_quantizing_are_those_of_its_reads_and_writes() -> None:
    values, block, written, read = 320, 16, 0.0, 0
    for _ in range(2):  # two copies, block by block: sixteen numbers of 4 bits and a scale of 8
        written += sum((block * 4 + 8) / 8 for _ in range(values // block))
    for _ in range(2):  # the largest number, then the numbers themselves
        read += 2 * values
    assert quantizing_bytes(values=values, value_bits=4.5, passes=2) == read + written


def test_the_step_of_chapter_26_gains_what_the_simple_formula_says() -> None:
    """The step of Llama 3.1 405B on 256 GB200 by the whole model, at its own rates, against Amdahl's law."""
    layout = Layout(tensor=4, pipeline=1, data=64, micro_batch=1, stage=1)
    rates = {dtype: device_constants("GB200", dtype) for dtype in ("fp8", "fp4")}
    seconds = {
        dtype: step_time(
            "Llama 3 405B",
            "GB200 NVL72",
            layout,
            batch_sequences=1536,
            sequence=8192,
            constants=rates[dtype],
            mask="half",
            dtype=dtype,
        ).total
        for dtype in rates
    }
    matmuls = 6 * 402e9 * 1536 * 8192 / 256 / (rates["fp8"].matmul_share * 5e15)
    faster = 2 * rates["fp4"].matmul_share / rates["fp8"].matmul_share
    found = partial_speedup(share=matmuls / seconds["fp8"], speedup=faster)
    assert seconds["fp8"] / seconds["fp4"] == pytest.approx(found, rel=0.03)
