"""Chapter 10: rates of whole answers against answers that are drawn token by token, and what a test sees of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from snippets.scaling.phase_transitions.emergence import (
    exact_match_rate,
    length_compute_factor,
    scoring_gain,
    spread_exact_match_rate,
    trials_to_see,
    zero_upper_bound,
)
from snippets.scaling.phase_transitions.emergence_runs import (
    draw_difficulties,
    exact_match_forecast,
    power_law_exponent,
    token_losses,
    tokens_right,
)

losses = st.floats(0.02, 2.5)
lengths = st.integers(1, 25)
shapes = st.sampled_from([0.3, 0.8, 1.0, 2.0, 4.0, 15.0])


@given(st.floats(0, 1), lengths)
def test_all_tokens_are_right_if_each_is(accuracy: float, tokens: int) -> None:
    product = 1.0
    for _ in range(tokens):
        product *= accuracy
    assert exact_match_rate(token_accuracy=accuracy, tokens=tokens) == pytest.approx(product, abs=1e-12)


@given(losses, lengths, shapes)
@settings(max_examples=30)
def test_the_spread_rate_is_the_mean_over_drawn_quantiles(loss: float, tokens: int, shape: float) -> None:
    """The gamma distribution is SciPy's, cut into slices of one probability: none of our own algebra."""
    places = stats.gamma.ppf((np.arange(20_000) + 0.5) / 20_000, shape, scale=1 / shape)
    mean = float(np.exp(-tokens * loss * places).mean())
    assert spread_exact_match_rate(loss=loss, tokens=tokens, shape=shape) == pytest.approx(mean, rel=0.02, abs=2e-5)


@given(losses, lengths)
def test_without_a_spread_it_is_the_power(loss: float, tokens: int) -> None:
    alike = spread_exact_match_rate(loss=loss, tokens=tokens, shape=1e12)
    assert alike == pytest.approx(exact_match_rate(token_accuracy=math.exp(-loss), tokens=tokens), rel=1e-6)


@given(losses, lengths, shapes, st.sampled_from([0.1, 0.3, 0.7]))
def test_a_longer_answer_is_the_same_curve_farther_on(loss: float, tokens: int, shape: float, exponent: float) -> None:
    moved = length_compute_factor(tokens=tokens, exponent=exponent)
    one = spread_exact_match_rate(loss=loss, tokens=1, shape=shape)
    later = spread_exact_match_rate(loss=loss * moved**-exponent, tokens=tokens, shape=shape)
    assert later == pytest.approx(one, rel=1e-9)


@given(st.integers(1, 3000), st.floats(0.05, 0.999))
def test_what_a_zero_leaves_is_the_exact_one_sided_interval(trials: int, confidence: float) -> None:
    interval = stats.beta.ppf(confidence, 1, trials)  # Clopper and Pearson's upper end for 0 of m
    assert zero_upper_bound(trials=trials, confidence=confidence) == pytest.approx(float(interval), rel=1e-7)


def test_the_library_puts_half_of_the_error_on_either_side() -> None:
    both = stats.binomtest(0, 100).proportion_ci(0.95, "exact").high
    one = stats.binomtest(0, 100, alternative="less").proportion_ci(0.95, "exact").high
    assert both == pytest.approx(zero_upper_bound(trials=100, confidence=0.975))
    assert one == pytest.approx(zero_upper_bound(trials=100))
    assert f"{100 * both:.1f} {100 * one:.2f}" == "3.6 2.95"
    assert zero_upper_bound(trials=10_000) == pytest.approx(3 / 10_000, rel=2e-3)  # the rule of three


@given(st.floats(1e-3, 0.95), st.floats(0.05, 0.999))
@settings(max_examples=50)
def test_the_fewest_problems_are_counted_one_by_one(rate: float, confidence: float) -> None:
    nothing, count = 1.0, 0
    while nothing > 1 - confidence:
        nothing, count = nothing * (1 - rate), count + 1
    assert trials_to_see(rate=rate, confidence=confidence) == pytest.approx(count, abs=1 if count > 1000 else 0)


def test_counts_at_the_boundary_are_not_rounded_up() -> None:
    assert trials_to_see(rate=0.5, confidence=0.75) == 2
    assert trials_to_see(rate=0.9, confidence=0.999) == 3
    assert trials_to_see(rate=0.9, confidence=0.1) == 1


@pytest.mark.parametrize(("loss", "tokens", "shape"), [(0.5, 20, 4), (0.2, 5, 1), (1.0, 3, 0.5)])
def test_a_scored_answer_is_worth_several_sampled_ones(loss: float, tokens: int, shape: float) -> None:
    chance = np.exp(-loss * tokens * draw_difficulties(problems=400_000, shape=shape, seed=1))
    sampled = (np.random.default_rng(2).random(len(chance)) < chance).astype(float)
    assert sampled.var() / chance.var() == pytest.approx(scoring_gain(loss=loss, tokens=tokens, shape=shape), rel=0.07)
    assert sampled.mean() == pytest.approx(chance.mean(), abs=5e-3)


def test_difficulties_have_their_mean_and_their_spread() -> None:
    for shape in (0.5, 4):
        drawn = draw_difficulties(problems=200_000, shape=shape, seed=3)
        assert drawn.mean() == pytest.approx(1, abs=0.02)
        assert drawn.std() == pytest.approx(1 / math.sqrt(shape), rel=0.02)


def test_losses_add_up_and_the_last_token_is_the_hardest() -> None:
    table = token_losses([0.5, 2.0], loss=0.7, tokens=6, jitter=0, seed=0)
    assert table.sum(axis=1) == pytest.approx([0.5 * 6 * 0.7, 2 * 6 * 0.7])
    assert table[0, -1] == pytest.approx(3 * table[0, 0])
    jittered = token_losses(np.ones(100_000), loss=1, tokens=1, jitter=0.4, seed=5)
    assert jittered.mean() == pytest.approx(1, abs=0.01)
    assert np.log(jittered).std() == pytest.approx(0.4, abs=0.01)


def test_tokens_count_up_to_the_first_wrong_one() -> None:
    table = np.array([[0.1, 0.5, 1.2]] * 200_000)
    right = tokens_right(table, seed=7)
    for tokens in (1, 2, 3):
        assert (right >= tokens).mean() == pytest.approx(math.exp(-table[0, :tokens].sum()), abs=5e-3)


@given(st.lists(st.floats(0.5, 100), min_size=2, max_size=5, unique=True), st.floats(0.05, 1.5))
@settings(max_examples=30)
def test_an_exponent_is_found_again(compute: list[float], exponent: float) -> None:
    if max(compute) / min(compute) > 1.1:
        found = power_law_exponent(compute, [3 * amount**-exponent for amount in compute])
        assert found == pytest.approx(exponent, rel=1e-6)


def test_a_forecast_of_a_family_with_a_known_law_is_right_on_average() -> None:
    forecasts = []
    for seed in range(60):
        hard = draw_difficulties(problems=100, shape=4, seed=seed)
        rows = [
            token_losses(hard, loss=loss, tokens=20, jitter=0.1, seed=1000 + 3 * seed + i).sum(axis=1)
            for i, loss in enumerate((2.0, 1.0, 0.5))
        ]
        forecasts.append(exact_match_forecast(rows, compute=[1, 10, 100], next_compute=1000))
    assert np.mean(forecasts) == pytest.approx(spread_exact_match_rate(loss=0.25, tokens=20, shape=4), abs=0.004)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: power_law_exponent([1, 1], [2, 3]),
        lambda: power_law_exponent([1, 2], [2]),
        lambda: exact_match_forecast([[0.0]], compute=[1], next_compute=2),
        lambda: token_losses([-1.0], loss=1, tokens=1, jitter=0, seed=0),
        lambda: tokens_right([[-1.0]], seed=0),
        lambda: length_compute_factor(tokens=1000, exponent=1e-3),
    ],
)
def test_what_has_no_answer_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="must"):
        wrong()  # type: ignore[operator]
