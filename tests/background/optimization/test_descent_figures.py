"""The pictures of descent show the paths, rates and floors that they were given."""

from __future__ import annotations

import numpy as np
import pytest

from snippets.background.optimization.figures import (
    descent_rate_plot,
    floor_plot,
    hops_plot,
    momentum_plot,
    path_map,
    path_rows,
    settling_plot,
)
from snippets.background.optimization.formulas import best_momentum, best_momentum_rate, momentum_rate
from snippets.background.optimization.simulators import GradientDescent, descend, quadratic
from snippets.figures import svg_of

BOWL = quadratic(np.diag([1.0, 4.0]))
RUN = descend(BOWL, [2.0, 1.0], rule=GradientDescent(0.3), steps=9)


def test_a_map_draws_every_point_of_a_path_and_names_it() -> None:
    figure = path_map(
        BOWL, {"here": RUN}, across=(-3, 3), up=(-2, 2), levels=[4, 1], title="bowl", chord=((-1, 0), (1, 1))
    )
    lines = figure.axes[0].lines
    assert np.array_equal(lines[0].get_xydata(), [[-1, 0], [1, 1]])
    assert np.array_equal(lines[1].get_xydata(), RUN.points)
    assert np.array_equal(np.asarray(lines[2].get_xydata())[::3], RUN.points)
    assert np.array_equal(lines[4].get_xydata(), RUN.points[-1:])
    svg = svg_of(figure)
    for label in ("here", "bowl", "y₁", "y₂"):
        assert label in svg


def test_a_map_needs_two_dimensions() -> None:
    with pytest.raises(ValueError, match="surface must have dimension 2, got 3"):
        path_map(quadratic(np.eye(3)), {}, across=(0, 1), up=(0, 1), levels=[1], title="")


@pytest.mark.parametrize("kappa", [4.0, 100.0])
def test_the_curve_of_rates_is_the_best_over_step_sizes(kappa: float) -> None:
    axes = momentum_plot([kappa]).axes[0]
    curve, dot = (np.asarray(line.get_xydata()) for line in axes.lines)
    assert dot.tolist() == [[best_momentum(kappa), best_momentum_rate(kappa)]]
    assert curve[:, 1].min() == pytest.approx(best_momentum_rate(kappa))
    for mu, rate in curve[::20]:
        tried = [
            momentum_rate(step=step, momentum=mu, smallest_curvature=1, largest_curvature=kappa)
            for step in np.linspace(0.001, 2 * (1 + mu) / kappa, 4001)
        ]
        assert rate <= min(tried) + 1e-12
        assert min(tried) <= rate + 0.01


def test_settling_shows_curves_and_floors() -> None:
    curve = np.geomspace(1, 1e-3, 101)
    figure = settling_plot({"a": curve, "b": 2 * curve}, floors={"a": 0.01}, every=20)
    first, floor, second = figure.axes[0].lines
    assert {text.get_text() for text in figure.axes[0].texts} == {"a", "b"}
    assert np.array_equal(first.get_ydata(), curve[::20])
    assert floor.get_ydata() == [0.01, 0.01]
    assert np.array_equal(second.get_ydata(), 2 * curve[::20])


def test_hops_are_the_steps_of_a_descent_on_the_parabola() -> None:
    rows = hops_plot(4.0, {0.05: "creeps", 0.55: "diverges"}, hops=3).axes
    for row, factor in zip(rows, (0.8, -1.2), strict=True):
        parabola, way, dots, ring = (np.asarray(line.get_xydata()) for line in row.lines)
        assert parabola[:, 1] == pytest.approx(2 * parabola[:, 0] ** 2)
        assert way == pytest.approx(np.array([[factor**t, 2 * factor ** (2 * t)] for t in range(4)]))
        assert np.array_equal(dots, way[1:])
        assert np.array_equal(ring, way[:1])
    assert rows[0].get_xlim() == rows[1].get_xlim()
    assert rows[0].get_ylim()[1] == rows[1].get_ylim()[1]
    assert [row.get_title() for row in rows] == ["η = 0.05: creeps", "η = 0.55: diverges"]


def test_rows_of_maps_share_their_axes_and_draw_each_path() -> None:
    other = descend(BOWL, [2.0, -1.0], rule=GradientDescent(0.1), steps=4)
    rows = path_rows({"one": RUN, "two": other}, [BOWL], across=(-3, 3), up=(-2, 2), levels=[1, 4]).axes
    for row, run, title in zip(rows, (RUN, other), ("one", "two"), strict=True):
        assert np.array_equal(row.lines[0].get_xydata(), run.points)
        assert np.array_equal(row.lines[-1].get_xydata(), run.points[-1:])
        assert (row.get_title(), row.get_xlim(), row.get_ylim()) == (title, (-3, 3), (-2, 2))
    (marked,) = path_rows(
        {"one": RUN}, [BOWL], across=(-3, 3), up=(-2, 2), levels=[1], minimum=(0, 0), resolution=9
    ).axes
    assert np.asarray(marked.lines[0].get_xydata()).tolist() == [[0, 0]]
    with pytest.raises(ValueError, match="surfaces must be one, or one for each of 1 paths, got 2"):
        path_rows({"one": RUN}, [BOWL, BOWL], across=(-3, 3), up=(-2, 2), levels=[1])


def test_the_thick_line_of_rates_is_the_slower_direction_and_its_dot_the_lowest() -> None:
    rows = descent_rate_plot(smallest_curvature=1.0, largest_curvature=10.0).axes
    for row in rows:
        slower, flat, steep, dot, border, one = row.lines
        sizes = np.asarray(flat.get_xdata(), dtype=float)
        assert flat.get_ydata() == pytest.approx(abs(1 - sizes))
        assert steep.get_ydata() == pytest.approx(abs(1 - 10 * sizes))
        assert slower.get_ydata() == pytest.approx(np.maximum(abs(1 - sizes), abs(1 - 10 * sizes)))
        assert np.asarray(dot.get_xydata()).tolist() == [[pytest.approx(2 / 11), pytest.approx(9 / 11)]]
        assert min(np.asarray(slower.get_ydata(), dtype=float)) == pytest.approx(9 / 11)
        assert border.get_xdata() == [0.2, 0.2]
        assert one.get_ydata() == [1, 1]
    low, high = rows[1].get_xlim()
    assert 0 < low < 2 / 11 < 0.2 < high <= rows[0].get_xlim()[1]


def test_the_floor_is_drawn_with_its_straight_limit_and_the_runs() -> None:
    figure = floor_plot(curvatures=[1, 100], noise_variances=[4, 4], simulated={0.01: 0.03}, smallest=0.001)
    curve, straight, runs, border = (np.asarray(line.get_xydata(), dtype=float) for line in figure.axes[0].lines)
    for size, height in curve:
        assert height == pytest.approx(sum(size * 4 / (2 * (2 - size * bend)) for bend in (1, 100)))
    assert straight == pytest.approx(np.array([[0.001, 0.002], [0.02, 0.04]]))
    assert runs.tolist() == [[0.01, 0.03]]
    assert border[:, 0].tolist() == [0.02, 0.02]
    assert curve[0, 1] == pytest.approx(straight[0, 1], rel=0.06)
    assert curve[-1, 1] > 20 * straight[-1, 1]
