"""The pictures show what was measured and what the formulas say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from snippets.background.variance_figures import bell_plot, error_plot, interval_plot, variance_plot
from snippets.figures import svg_of

SIZES = [2, 4, 8, 16]
MEASURED = {"with_replacement": [4.0, 2.0, 1.0, 0.5], "without_replacement": [3.9, 1.8, 0.8, 0.2]}


def lines(figure: Figure) -> list[tuple[list[float], list[float]]]:
    data: list[Any] = [line.get_data() for line in figure.axes[0].get_lines()]
    return [(list(map(float, x)), list(map(float, y))) for x, y in data]


def test_variances_are_dots_and_laws_are_lines() -> None:
    figure = variance_plot(SIZES, MEASURED, variance=8.0, population=20)
    drawn, dots, bent, squares = lines(figure)
    assert dots == (SIZES, MEASURED["with_replacement"])
    assert squares == (SIZES, MEASURED["without_replacement"])
    assert all(y == pytest.approx(8 / x) for x, y in zip(*drawn, strict=True))
    assert all(y == pytest.approx(8 / x * (20 - x) / 19) for x, y in zip(*bent, strict=True))
    svg = svg_of(figure)
    for label in ("with: slope −1", "without", "batch size B, examples"):
        assert label in svg


def test_the_walk_is_drawn_at_its_places_beside_its_law() -> None:
    distances = 3 / np.arange(1, 1001)
    (x, y), (ends, law) = lines(error_plot(distances, expected=6.0))
    assert (x[0], x[-1]) == (1, 1000)
    assert len(x) <= 150
    assert all(value == pytest.approx(3 / place) for place, value in zip(x, y, strict=True))
    assert (ends, law) == ([1, 1000], [6.0, pytest.approx(6 / math.sqrt(1000))])


def test_the_histogram_has_area_one_and_the_curve_is_normal() -> None:
    figure = bell_plot(np.random.default_rng(1).normal(size=5000), title="draws")
    (stairs,) = figure.axes[0].patches
    values, edges, _ = stairs.get_data()  # type: ignore[attr-defined]
    assert sum(values * np.diff(edges)) == pytest.approx(1, abs=1e-3)
    ((x, y),) = lines(figure)
    assert y[x.index(0.0)] == pytest.approx(0.398942, abs=1e-6)
    assert "draws" in svg_of(figure)


def test_what_lies_beyond_the_histogram_counts() -> None:
    figure = bell_plot([0.1, 9.0], title="")
    values, edges, _ = figure.axes[0].patches[0].get_data()  # type: ignore[attr-defined]
    assert sum(values * np.diff(edges)) == pytest.approx(0.5)


def test_bars_reach_from_end_to_end() -> None:
    figure = interval_plot([("one", 50.0, {95: (2, 1), 99: (4, 3)}), ("two", 60.0, {95: (1, 1), 99: (2, 2)})])
    spans = [x for x, _ in lines(figure)]
    assert spans[:3] == [[46, 53], [48, 51], [50]]
    assert spans[3:] == [[58, 62], [59, 61], [60]]
    assert "one" in svg_of(figure)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="sizes must hold at least two batch sizes"):
        variance_plot([1], MEASURED, variance=1.0, population=9)
    with pytest.raises(ValueError, match="measured must have 4 values under 'without_replacement', got 0"):
        variance_plot(SIZES, {"with_replacement": [1, 1, 1, 1]}, variance=1.0, population=20)
    with pytest.raises(ValueError, match="distances must hold at least two numbers, all above 0"):
        error_plot([1.0, 0.0], expected=1.0)
    with pytest.raises(ValueError, match="errors must hold at least one number"):
        bell_plot([], title="")
    with pytest.raises(ValueError, match="number of bars must be"):
        interval_plot([])
