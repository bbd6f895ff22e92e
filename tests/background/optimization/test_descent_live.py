"""Paths, losses and rates are those of the NumPy simulator and of eigenvalues."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.optimization import simulators as descent_paths
from snippets.background.optimization.live import descent_on_quadratic

STEPS = st.floats(0.0002, 0.04)
MOMENTA = st.floats(0, 0.98)
CONDITIONS = st.integers(10, 1000)


def simulated(step: float, momentum: float, condition: int, steps: int) -> descent_paths.Path:
    bowl = descent_paths.quadratic(np.diag([100 / condition, 100.0]))
    rule = descent_paths.Momentum(step, momentum)
    return descent_paths.descend(bowl, [10.0, 1.0], rule=rule, steps=steps)


def eigenvalue(step: float, momentum: float, condition: int) -> float:
    matrices = [[[1 + momentum - step * c, -momentum], [1, 0]] for c in (100 / condition, 100.0)]
    return float(abs(np.linalg.eigvals(np.array(matrices))).max())


@given(step=STEPS, momentum=MOMENTA, condition=CONDITIONS, steps=st.integers(1, 200))
@hypothesis_settings(max_examples=examples(60))
def test_losses_and_rate_are_those_of_the_simulator(step: float, momentum: float, condition: int, steps: int) -> None:
    picture = descent_on_quadratic(step=step, momentum=momentum, condition=condition, steps=steps)
    run = simulated(step, momentum, condition, steps)
    made, first, last = re.search(r"path of (\d+) steps.*from ([\d.e+-]+) to ([\d.e+-]+),", picture.alt).groups()  # type: ignore[union-attr]
    assert float(first) == pytest.approx(run.values[0], rel=6e-3)
    if int(made) == steps:
        assert float(last) == pytest.approx(run.values[-1], rel=6e-3)
    else:
        assert abs(run.points[int(made) + 1]).max() > 1e60
    rate = eigenvalue(step, momentum, condition)
    said = re.search(r"ρ = ([\d.]+) per step", picture.numbers)
    assert said is not None
    assert float(said[1]) == pytest.approx(rate, abs=2e-4)


@given(step=STEPS, momentum=st.floats(0, 0.9), condition=st.integers(10, 100))
@hypothesis_settings(max_examples=examples(40))
def test_it_says_converges_where_a_long_run_does(step: float, momentum: float, condition: int) -> None:
    assume(abs(eigenvalue(step, momentum, condition) - 1) > 0.003)
    said = descent_on_quadratic(step=step, momentum=momentum, condition=condition).numbers
    distances = np.linalg.norm(simulated(step, momentum, condition, 6000).points, axis=1)
    assert ("converges" in said, "diverges" in said) == (distances[-1] < 1, distances[-1] > 100)


@pytest.mark.parametrize(
    ("step", "momentum", "does", "fewest", "most"),
    [
        (0.002, 0, "converges, without crossing the valley", 0, 0),
        (0.0198, 0, "converges, crossing the valley at every step", 30, 30),
        (0.02, 0, "swings across the valley for ever", 30, 30),
        (0.0202, 0, "diverges, overshooting", 30, 30),
        (0.02, 0.67, "converges, swinging across the valley", 3, 29),
    ],
)
def test_it_says_how_it_crosses_the_valley(step: float, momentum: float, does: str, fewest: int, most: int) -> None:
    assert does in descent_on_quadratic(step=step, momentum=momentum, condition=100).numbers
    across = simulated(step, momentum, 100, 30).points[:, 1]
    assert fewest <= (np.sign(across[1:]) != np.sign(across[:-1])).sum() <= most


def test_the_points_that_are_drawn_are_those_of_the_path() -> None:
    svg = descent_on_quadratic(step=0.002, condition=100, steps=25).panels[0].svg()
    (drawn,) = re.findall(r'class="l-accent" d="M([\d. L]+)" style="stroke-width:1"', svg)
    points = np.array([[float(number) for number in place.split()] for place in drawn.split("L")])
    path = simulated(0.002, 0, 100, 25).points
    x = 52 + (path[:, 0] + 12) / 24 * (330 - 16 - 52)
    y = 208 - (path[:, 1] + 4) / 8 * (208 - 30)
    assert points == pytest.approx(np.stack([x, y], axis=1), abs=0.06)
    assert svg.count("h0") == 25 + 2  # every step, the start and the end once more


def test_the_question_says_what_the_chapter_says() -> None:
    said = descent_on_quadratic(step=0.0198, condition=100).numbers
    assert "by its rate a millionth of the distance after about 691 steps; stable below η = 0.02." in said
    assert "with μ = 0.669 η = 0.0331, ρ = 0.8182" in said
