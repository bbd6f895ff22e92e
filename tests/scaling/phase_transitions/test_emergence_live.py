"""The live figure of chapter 10 says what its formulas give, and slides."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from snippets.scaling.phase_transitions.emergence import spread_exact_match_rate
from snippets.scaling.phase_transitions.live import emergence, right_share


@given(st.integers(1, 100), st.sampled_from([0, 0.25, 0.5, 1.5]), st.sampled_from([0.3, 0.5, 0.75, 0.9]))
@settings(max_examples=30)
def test_the_share_is_a_mean_over_a_gamma_distribution(tokens: int, spread: float, fall: float) -> None:
    for power in (0, 2, 5):
        loss = 2 * fall**power
        share = right_share(10.0**power, fall=fall, tokens=tokens, spread=spread)
        if not spread:
            assert share == pytest.approx(math.exp(-tokens * loss), rel=1e-9, abs=1e-300)
            continue
        shape = 1 / spread**2
        expected = stats.gamma.expect(lambda g, rate=tokens * loss: math.exp(-rate * g), (shape,), scale=spread**2)
        assert share == pytest.approx(expected, rel=1e-3, abs=1e-6)
        assert share == pytest.approx(spread_exact_match_rate(loss=loss, tokens=tokens, shape=shape))


def test_the_question_says_its_numbers() -> None:
    numbers = emergence(tokens=20, spread=0.5).numbers
    assert "an answer of 20 in 0.67%, with 10 times more compute in 3.9%" in numbers
    assert "with a chance of 51%" in numbers
    assert "at 21,000 times the compute" in numbers


def test_the_next_model_is_marked_with_its_share() -> None:
    assert "next: 3.9%" in emergence(tokens=20, spread=0.5).panels[1].svg()
    late = emergence(tokens=20, spread=0.5, tested=6).panels[1].svg()
    assert f"next: {100 * right_share(1e7, fall=0.5, tokens=20, spread=0.5):.0f}%" in late


def test_the_curve_of_more_tokens_has_the_same_form() -> None:
    for tokens, factor in ((2, 10), (4, 100)):
        for power in range(4):
            one = right_share(10.0**power, fall=0.5, tokens=1, spread=0.4)
            assert right_share(factor * 10.0**power, fall=0.5, tokens=tokens, spread=0.4) == pytest.approx(one)
