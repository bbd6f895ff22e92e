"""The live figure of chapter 11 counts what a stepped run counts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.scaling.batch_size.live import steps_and_examples_against_batch as figure


def stepped(batch: int, critical: int) -> float:
    """Make steps of B/(B + B_crit) of a perfect one until 2,000 perfect ones are made, in whole numbers."""
    needed = 2000 * (batch + critical)
    return -(-needed // batch) / 2000


@settings(max_examples=30)
@given(st.integers(0, 8), st.integers(0, 8), st.integers(1, 6))
def test_the_numbers_are_those_of_a_run_made_step_by_step(batch: int, critical: int, workers: int) -> None:
    B, B_crit, k = 2**batch, 2**critical, 2**workers
    said = re.findall(r"[\d,.]+(?= times| ?%)", figure(batch=B, critical=B_crit, workers=k).numbers)
    steps, examples, many, time, perfect, hours = (float(number.replace(",", "")) for number in said)
    once, more = stepped(B, B_crit), stepped(B * k, B_crit)
    assert steps == pytest.approx(once, rel=0.01)
    assert examples == pytest.approx(once * B / B_crit, rel=0.01)
    assert (many, perfect) == (k, pytest.approx(100 / k, rel=0.01))
    assert time == pytest.approx(100 * more / once, rel=0.01)
    assert hours == pytest.approx(100 * k * more / once, rel=0.01)


def test_it_opens_on_the_critical_batch_and_keeps_the_answer_to_itself() -> None:
    assert figure.opening is not None
    assert "75% of the time" in figure(**figure.opening.values).numbers
    assert not any("15 days" in figure(**named.values).numbers for named in figure.named)
    numbers = figure(batch=512, critical=512, workers=4).numbers
    assert "B = 512, critical batch 512: 2 times the fewest steps, 2 times the fewest examples." in numbers
    assert "15 days instead of 24 (perfect would be 25%, 6 days)" in numbers  # five eighths of 24
    assert "62.5% of the time" in numbers


@given(st.integers(1, 6), st.integers(1, 365))
def test_the_days_shrink_as_the_steps_do(workers: int, days: int) -> None:
    said = re.findall(r"([\d,.]+) days instead of", figure(batch=8, critical=32, workers=2**workers, days=days).numbers)
    assert float(said[0].replace(",", "")) == pytest.approx(
        days * stepped(8 * 2**workers, 32) / stepped(8, 32), rel=0.01, abs=0.006
    )
    assert "days" in figure(batch=8, critical=32, workers=1, days=days).idle
