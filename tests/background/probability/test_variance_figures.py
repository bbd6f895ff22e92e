"""The pictures show what was measured and what the formulas say."""

from __future__ import annotations

import math
import re
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from snippets.background.probability.figures import (
    bell_plot,
    cloud_panel,
    error_plot,
    pairs_panel,
    variance_plot,
)
from snippets.figures import svg_of

SIZES = [2, 4, 8, 16]
MEASURED = {"with_replacement": [4.0, 2.0, 1.0, 0.5], "without_replacement": [3.9, 1.8, 0.8, 0.2]}


def lines(figure: Figure) -> list[tuple[list[float], list[float]]]:
    data: list[Any] = [line.get_data() for line in figure.axes[0].get_lines()]
    return [(list(map(float, x)), list(map(float, y))) for x, y in data]


def dots(svg: str) -> list[list[tuple[float, float]]]:
    """Return the places of the dots, one list for each shape that has dots."""
    shapes = re.findall(r'd="((?:M[-\d.]+ [-\d.]+h0)+)"', svg)
    return [[(float(x), float(y)) for x, y in re.findall(r"M([-\d.]+) ([-\d.]+)h0", shape)] for shape in shapes]


def test_all_batches_of_two_are_drawn_at_their_means() -> None:
    values = [0.0, 2.0, 4.0, 10.0]
    svg = pairs_panel(values).svg()
    rows = [sorted((x - 20) / 30 for x, _ in row) for row in dots(svg)]
    assert rows[0] == values
    assert rows[1] == pytest.approx(sorted((a + b) / 2 for a, b in combinations(values, 2)))
    assert rows[2] == pytest.approx(sorted((a + b) / 2 for a, b in product(values, repeat=2)))
    assert all(len(set(row)) == len(row) for row in dots(svg)), "two dots lie on each other"
    assert svg.count('x1="140"') == 3  # the mean, 4, in each row
    assert "batches of 2, with replacement: 16" in svg


def test_the_cloud_is_turned_to_the_full_gradient_and_counts_what_is_beyond() -> None:
    full = np.array([0.0, 2.0])
    gradients = np.array([[0.0, 2.0], [-2.0, 4.0], [0.0, 90.0]])  # of lengths along (1, 2, 45) and across (0, 1, 0)
    svg = cloud_panel(gradients, full, expected=0.5, unit_px=40, title="three").svg()
    ((first, second),) = dots(svg)
    assert second[0] - first[0] == pytest.approx(40, abs=0.2)
    assert abs(second[1] - first[1]) == pytest.approx(40, abs=0.2)
    assert "three, 1 beyond the picture" in svg
    circle = [
        (float(x), float(y))
        for path in re.findall(r'd="(M[^"h]*)" style="stroke-width:2"', svg)
        for x, y in re.findall(r"([-\d.]+) ([-\d.]+)", path)
    ]
    assert len(circle) > 40
    assert all(math.dist(point, first) == pytest.approx(20, abs=0.2) for point in circle)


def test_variances_are_dots_and_laws_are_lines() -> None:
    figure = variance_plot(SIZES, MEASURED, variance=8.0, population=20)
    drawn, dots, bent, squares = lines(figure)
    assert dots == (SIZES, MEASURED["with_replacement"])
    assert squares == (SIZES, MEASURED["without_replacement"])
    assert all(y == pytest.approx(8 / x) for x, y in zip(*drawn, strict=True))
    assert all(y == pytest.approx(8 / x * (20 - x) / 19) for x, y in zip(*bent, strict=True))
    svg = svg_of(figure)
    for label in ("with replacement", "without replacement", "batch size B, examples"):
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


def test_refusals() -> None:
    with pytest.raises(ValueError, match="sizes must hold at least two batch sizes"):
        variance_plot([1], MEASURED, variance=1.0, population=9)
    with pytest.raises(ValueError, match="measured must have 4 values under 'without_replacement', got 0"):
        variance_plot(SIZES, {"with_replacement": [1, 1, 1, 1]}, variance=1.0, population=20)
    with pytest.raises(ValueError, match="distances must hold at least two numbers, all above 0"):
        error_plot([1.0, 0.0], expected=1.0)
    with pytest.raises(ValueError, match="errors must hold at least one number"):
        bell_plot([], title="")
    for wrong in ([1], [0, 11], [-1, 2], [1] * 6):
        with pytest.raises(ValueError, match="gradients must be 2 to 5 numbers"):
            pairs_panel(wrong)
    for rows, full in (([[1.0, 2.0]], [0.0, 0.0]), ([[1.0]], [1.0, 1.0]), ([[1.0, 2.0]], [1.0])):
        with pytest.raises(ValueError, match="gradients must be rows of two numbers"):
            cloud_panel(rows, full, expected=1.0, unit_px=10, title="")
