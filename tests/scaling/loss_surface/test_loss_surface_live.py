"""The ladder that is carried on: its numbers are those of the laws, its settings say what is seen."""

from __future__ import annotations

import re

import numpy as np
import pytest

from snippets.scaling.loss_surface.live import _noise, extend_ladder


def said(**settings: float) -> list[float]:
    return [float(number) for number in re.findall(r"\d+\.\d+", extend_ladder(**settings).numbers)]


@pytest.mark.parametrize("runs", [3, 5, 12])
@pytest.mark.parametrize("ahead", [1, 6])
def test_without_noise_the_law_is_the_truth_and_the_line_is_numpys(runs: int, ahead: int) -> None:
    line, law, truth, found, floor = said(runs=runs, ahead=ahead)
    exponents = np.array([0, np.log10(3), 1, np.log10(30), 2]) if runs == 5 else np.linspace(0, 2, runs)
    losses = 1.75 + 1.75 * 10 ** (-0.171 * exponents)
    slope, height = np.polyfit(exponents, np.log(losses), 1)
    assert line == pytest.approx(np.exp(height + slope * (2 + ahead)), abs=6e-4)
    assert truth == pytest.approx(1.75 + 1.75 * 10 ** (-0.171 * (2 + ahead)), abs=6e-4)
    assert law == pytest.approx(truth, abs=2e-3)
    assert found == pytest.approx(floor, abs=0.02)


def test_the_noise_is_standard_normal_and_draw_0_gives_the_questions_runs() -> None:
    drawn = np.array([value for draw in range(1, 41) for value in _noise(draw, 12)])
    assert abs(drawn.mean()) < 0.15
    assert drawn.std() == pytest.approx(1, abs=0.1)
    flops = np.array([1, 3, 10, 30, 100])
    losses = (1.75 + 1.75 * flops**-0.171) * np.exp(0.0035 * np.array(_noise(0, 5)))
    assert losses.round(3).tolist() == [3.500, 3.200, 2.933, 2.725, 2.547]
    assert len(_noise(0, 12)) == 12


def test_the_question_opens_on_the_chapters_fit_without_the_simulators_truth_and_seldom_says_yes() -> None:
    assert said(runs=5, noise=0.35) == [2.151, 2.287, 2.287, 1.75, 1.75]
    opened = extend_ladder(runs=5, noise=0.35)
    assert not any(hidden in opened.numbers + opened.alt for hidden in ("2.306", "2.31", "1.82"))
    found = [said(runs=5, noise=0.35, draw=draw) for draw in range(1, 41)]
    assert sum(law <= 2.247 for _, law, *_ in found) == 2
    assert sum(abs(floor - 1.75) <= 0.1 + 1e-9 for *_, floor, _ in found) == 24


def test_a_shorter_ladder_has_a_worse_floor_as_the_notice_says() -> None:
    long = {"runs": 9, "decades": 4, "noise": 0.7, "draw": 9}
    assert abs(said(**long)[3] - 1.75) < 0.15 < 0.4 < abs(said(**{**long, "decades": 2})[3] - 1.75)
