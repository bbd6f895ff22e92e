"""The pictures of descent show the paths, rates and floors that they were given."""

from __future__ import annotations

import numpy as np
import pytest

from snippets.background.descent import best_momentum, best_momentum_rate, momentum_rate
from snippets.background.descent_figures import momentum_plot, path_map, settling_plot
from snippets.background.descent_paths import GradientDescent, descend, quadratic
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
    for label in ("here", "bowl", "x₁", "x₂"):
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
