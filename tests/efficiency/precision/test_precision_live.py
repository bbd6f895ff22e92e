"""The live figure of chapter 32 says what a clock measures of a step whose matmuls get faster."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.efficiency.precision.live import format_speedup_figure
from snippets.live.declaring import Named


def clocked(*, share: int, before: int, after: int, kept: int, wide: int, added: int) -> Fraction:
    """Run a step of a hundred seconds part by part, and return by which factor it gets faster."""
    flops = share * before  # of the matmuls that change
    stays = Fraction(flops * kept, 100)
    return 100 / (100 - share + stays / wide + (flops - stays) / after + added)


@pytest.mark.parametrize("named", format_speedup_figure.named, ids=lambda named: named.name)
def test_a_named_setting_gains_what_a_clock_says(named: Named) -> None:
    values = {knob.name: knob.default for knob in format_speedup_figure.knobs} | dict(named.values)
    said = re.search(r"The step gets (\d+)% faster", format_speedup_figure(**values).numbers)
    assert said
    assert abs(int(said[1]) - float(100 * (clocked(**values) - 1))) <= 0.5


@given(
    share=st.integers(0, 100),
    before=st.integers(100, 15000),
    after=st.integers(100, 15000),
    kept=st.integers(0, 100),
    wide=st.integers(100, 15000),
    added=st.integers(0, 30),
)
def test_any_setting_gains_what_a_clock_says(**values: int) -> None:
    change = float(100 * (clocked(**values) - 1))
    said = re.search(r"The step gets (\d+)% (faster|slower)", format_speedup_figure(**values).numbers)
    if said is None:
        assert abs(change) < 0.51
    else:
        assert abs(int(said[1]) * (1 if said[2] == "faster" else -1) - change) < 0.51
