"""The pictures of chapter 10 show the numbers that they are given, and their texts fit."""

from __future__ import annotations

import re

import numpy as np
import pytest

from snippets.scaling.phase_transitions import figures as pictures
from snippets.scaling.phase_transitions.double_descent_runs import weak_weights
from snippets.scaling.phase_transitions.emergence import spread_exact_match_rate
from tests.live.checking import assert_texts_fit


def dots(svg: str) -> int:
    return len(re.findall(r"M[\d.-]+ [\d.-]+h0", svg))


def test_what_is_left_after_each_token() -> None:
    panel = pictures.survival_panel({"first": 0.5, "second": 0.9}, tokens=6)
    svg = panel.svg()
    assert_texts_fit(svg)
    heights = [float(height) for height in re.findall(r"v([\d.]+)h-", svg)]
    assert len(heights) == 14
    assert heights[7:] == pytest.approx([66 * 0.9**j for j in range(7)], abs=0.1)
    assert ">81<" in svg


def test_the_curves_lie_as_far_apart_as_they_say() -> None:
    svg = pictures.slide_panel(lengths=(1, 2, 8), exponent=0.25, first_loss=2.0).svg()
    assert_texts_fit(svg)
    assert ">×16<" in svg
    assert ">×260<" in svg


def test_every_problem_is_a_dot_and_the_mean_is_written() -> None:
    losses = np.array([1.0, 3.0, 8.0, 40.0])
    svg = pictures.likelihood_panel(losses).svg()
    assert_texts_fit(svg)
    assert dots(svg) == 4
    assert f"mean {100 * np.exp(-losses).mean():.2f}%" in svg


def test_the_easiest_are_marked() -> None:
    svg = pictures.likelihood_panel([9.0, 1.0, 3.0], easiest=2).svg()
    assert_texts_fit(svg)
    assert dots(svg) == 3


def test_lines_of_losses_lead_to_the_next_model() -> None:
    groups = {"easy": [8.0, 4.0, 2.0], "hard": [32.0, 16.0, 8.0]}
    for width in (pictures.WIDTH, pictures.WIDE):
        svg = pictures.lines_panel(groups, width_px=width).svg()
        assert_texts_fit(svg)
        assert dots(svg) == 6
        assert all(f">{name}<" in svg for name in groups)


def test_how_often_a_test_shows_nothing_is_written_at_each_dot() -> None:
    for width in (pictures.WIDTH, pictures.WIDE):
        svg = pictures.unseen_panel(
            problems=100, marked={"1% right": 0.01, "2.95% right": 0.0295}, width_px=width
        ).svg()
        assert_texts_fit(svg)
        assert dots(svg) == 2
        assert f"1% right: {100 * 0.99**100:.0f}%" in svg
        assert "2.95% right: 5%" in svg


@pytest.mark.parametrize(("first", "second"), [(2.0, 8.0), (2.5, 7.0)])
def test_the_mean_of_two_chances_lies_above_the_chance_at_their_mean(first: float, second: float) -> None:
    for width in (pictures.WIDTH, pictures.WIDE):
        svg = pictures.chord_panel(first, second, width_px=width).svg()
        assert_texts_fit(svg)
        assert dots(svg) == 4
        assert f"mean of the two: {50 * (np.exp(-first) + np.exp(-second)):.1f}%" in svg
        assert f">{100 * np.exp(-(first + second) / 2):.1f}%<" in svg


def test_the_forecast_stands_above_the_line_from_which_it_pays() -> None:
    for width in (pictures.WIDTH, pictures.WIDE):
        svg = pictures.forecast_panel(
            [4e-5, 8e-4, 6.7e-3],
            forecast=0.039,
            scatter=(0.029, 0.055),
            shortcut=0.005,
            unseen=0.0295,
            pays=0.012,
            width_px=width,
        ).svg()
        assert_texts_fit(svg)
        assert dots(svg) == 3 + 1 + 1
        for words in (">0.004%<", ">0.67%<", "forecast: 3.9%", "colleague: 0.5%", "breaks even at 1.2%"):
            assert words in svg


def test_families_and_a_tilted_line_and_both_valleys_are_drawn() -> None:
    panels = pictures.families_panels(
        {"A, one": ([0.0, 0.01, 0.05], (2, 1, 0.5)), "B, other": ([0, 0, 0.05], (2, 2, 0.5))}, 100
    )
    for panel in panels:
        assert_texts_fit(panel.svg())
    svg = pictures.thin_line_panel().svg()
    assert_texts_fit(svg)
    assert "slope 0.8 for 0.5" in svg
    assert "slope 2.0 for 0.5" in svg
    descent = pictures.descent_panel(
        weak_weights(60),
        examples=40,
        noise_variance=0.1,
        simulated={0: 1.1},
        medians={40: 20},
        ridge={10: 0.7, 20: 0.6},
    )
    assert_texts_fit(descent.svg())
    assert dots(descent.svg()) == 1 + 1 + 2 + 3


@pytest.mark.parametrize("shape", [0.2, 1, 6])
def test_the_spread_changes_and_the_accuracy_of_a_token_does_not(shape: float) -> None:
    (rate,) = pictures.spread_rates([shape], token_accuracy=0.7, tokens=5)
    loss = shape * (0.7 ** (-1 / shape) - 1)
    assert spread_exact_match_rate(loss=loss, tokens=1, shape=shape) == pytest.approx(0.7)
    assert rate == pytest.approx(spread_exact_match_rate(loss=loss, tokens=5, shape=shape))
    assert 0.7**5 < rate < 0.7
    with pytest.raises(ValueError, match="above 0 and below 1"):
        pictures.spread_rates([shape], token_accuracy=1.0, tokens=5)
