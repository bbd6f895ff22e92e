"""The live figure of chapter 2 says what a count of operations and bytes gives."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.foundations.roofline.live import product_under_ceilings
from snippets.hardware import ACCELERATORS
from snippets.live.knobs import from_units

H100 = ACCELERATORS["H100 SXM"]


@given(m=st.integers(1, 16384), k=st.integers(256, 32768), n=st.integers(256, 32768), ranks=st.integers(1, 64))
def test_the_numbers_are_those_of_counted_operations_and_bytes(m: int, k: int, n: int, ranks: int) -> None:
    numbers = product_under_ceilings(m=m, k=k, n=n, ranks=ranks).numbers
    deep = -(-k // ranks)
    peak, memory = H100.peaks.bf16, H100.memory_bandwidth_bytes_per_s
    assert peak is not None
    times = {
        "compute": Fraction(2 * m * deep * n, peak),
        "memory": Fraction(2 * (m * deep + deep * n + m * n), memory),
        "network": Fraction(4 * (ranks - 1) * m * n, ranks * 450 * 10**9),
    }
    for name, seconds in times.items():
        said = re.search(rf"{name} ([\d.]+ \S*s)", numbers)
        assert bool(said) == bool(seconds)
        if said:
            assert from_units("said", said[1], "s") == pytest.approx(float(seconds), rel=6e-3)
    limit = max(times, key=lambda name: times[name])
    assert f"The limit is {limit}:" in numbers
    share = re.search(r"([\d.e-]+)% of its peak", numbers)
    assert share
    assert float(share[1]) == pytest.approx(100 * float(times["compute"] / times[limit]), rel=6e-3)


def test_the_first_picture_is_the_question_and_says_what_happens_there() -> None:
    first = product_under_ceilings()
    assert "33.5% of its peak" in first.numbers
    assert "memory-bound, at best 33.5% of its peak." in first.panels[0].svg()
    assert "Memory takes 36.2 µs, computing 12.1 µs:" in first.panels[0].svg()
    question = next(named.values for named in product_under_ceilings.named if named.name == "The question")
    assert product_under_ceilings(**question).numbers == first.numbers


def test_a_matmul_that_sends_when_it_has_computed_takes_both_times() -> None:
    assert ">383 µs<" in product_under_ceilings(m=8192, ranks=8).panels[0].svg()
    assert "in turn" not in product_under_ceilings(m=8192).panels[0].svg()


def test_the_dot_stands_on_the_roof() -> None:
    for m in (1, 102, 326, 8192):
        svg = product_under_ceilings(m=m).panels[1].svg()
        curve = re.search(r'class="l-accent" d="M([^"]*)"', svg)
        dot = re.search(r'class="l-ink" d="M([\d.]+) ([\d.]+)h0"', svg)
        assert curve
        assert dot
        points = [tuple(map(float, point.split())) for point in curve[1].split("L")]
        x, y = float(dot[1]), float(dot[2])
        left = max(point for point in points if point[0] <= x)
        right = min(point for point in points if point[0] > x)
        assert y == pytest.approx(left[1] + (right[1] - left[1]) * (x - left[0]) / (right[0] - left[0]), abs=1)


def test_a_cut_product_stands_on_the_line_that_its_link_allows() -> None:
    svg = product_under_ceilings(m=8192, ranks=8).panels[1].svg()
    line = re.search(r'<line [^>]*y1="([\d.]+)"[^>]*y2="([\d.]+)" class="l-communication"', svg)
    dot = re.search(r'class="l-ink" d="M([\d.]+) ([\d.]+)h0"', svg)
    assert line
    assert dot
    assert line[1] == line[2] == dot[2]
    assert "l-communication" not in product_under_ceilings(m=8192, ranks=1).panels[1].svg()
