"""The judge of step size and batch makes the recursion of noisy runs; its targets leave the room that they promise."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from exercises.background.optimization.choose_step_and_batch import (
    DESIGN,
    EXAMPLES,
    EXERCISE,
    LOSS,
    STEPS,
    WITHIN,
    expected_loss,
    observe_run,
)
from snippets.background.optimization.simulators import GradientDescent, descend, quadratic

ALL = [*EXERCISE.examples, *EXERCISE.inputs]  # type: ignore[misc]
QUESTION = EXERCISE.examples[-1]


def test_the_recursion_is_what_noisy_runs_do() -> None:
    bends, start, deviations = [1.0, 30.0], [4.0, 2.0], np.array([0.5, 3.0])
    crowd = np.tile(start, (4000, 1))
    noise: dict[str, Any] = {"noise": deviations / 7**0.5, "generator": np.random.default_rng(1)}
    run = descend(quadratic(np.diag(bends)), crowd, rule=GradientDescent(0.03), steps=90, **noise)
    assert expected_loss(0.03, 7, 90, bends, start, [0.25, 9.0]) == pytest.approx(run.values[-1].mean(), rel=0.05)


@pytest.mark.parametrize("inputs", ALL, ids=range(len(ALL)))
def test_some_constant_step_ends_5_percent_below_the_target(inputs: dict[str, Any]) -> None:
    step, batch, steps = EXERCISE.solution(**inputs)
    names = ("curvatures", "start", "noise_variances")
    assert expected_loss(step, batch, steps, *(inputs[name] for name in names)) <= 0.95 * inputs["target"]


def constant(design: tuple[float, int, int], **_: object) -> tuple[float, int, int]:
    return design


def test_a_design_is_told_which_limit_it_breaks_and_by_how_much() -> None:
    designs = (0.0135, 16, 400), (0.0135, 17, 400), (0.0135, 15, 410), (0.0198, 16, 400), (0.03, 16, 400)
    seen = [observe_run(partial(constant, design), **QUESTION) for design in designs]
    assert seen[0][LOSS] == "at most the target"
    assert (seen[1][EXAMPLES], seen[1][STEPS]) == ("17 · 400 = 6800, 400 more than 6400", WITHIN)
    assert (seen[2][EXAMPLES], seen[2][STEPS]) == (WITHIN, "410, 10 more than 400")
    assert seen[3][LOSS] == (
        "0.125, 20.84 times the target of 0.006, 1.04e-05 of it left of the start and 0.125 from the noise "
        "(step size 0.0198, batch 16, steps 400)"
    )
    assert seen[4][LOSS].startswith("inf")


def test_batch_and_steps_have_to_be_whole() -> None:
    designs: list[Any] = [(0.0135, 16.5, 380), (0.0135, 16, 380.25)]
    seen = [observe_run(partial(constant, design), **QUESTION) for design in designs]
    assert seen[0] == {DESIGN: "(0.0135, 16.5, 380), where batch and steps have to be whole numbers"}
    assert seen[1] == {DESIGN: "(0.0135, 16, 380.25), where batch and steps have to be whole numbers"}
