"""Every schedule computes the gradient of the unpipelined network; the arrays confirm the counts of the runner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snippets.parallelism.pipeline.programs import train_step
from snippets.parallelism.pipeline.runner import count_messages, peak_activations
from snippets.parallelism.pipeline.schedules import (
    PipelineSchedule,
    chimera,
    dualpipe,
    gpipe,
    interleaved,
    one_f_one_b,
    zb_h1,
    zb_h2,
)

SCHEDULES = [
    gpipe(stages=4, micro_batches=8),
    one_f_one_b(stages=4, micro_batches=8),
    one_f_one_b(stages=1, micro_batches=2),
    interleaved(stages=2, micro_batches=4, chunks=2),
    zb_h1(stages=4, micro_batches=8),
    zb_h2(stages=4, micro_batches=8),
    chimera(stages=4, micro_batches=8),
    dualpipe(stages=4, micro_batches=8),
]
WIDTH, EXAMPLES = 5, 16


def problem(stages: int) -> tuple[list[Any], Any, Any]:
    rng = np.random.default_rng(18)
    weights = [rng.normal(size=(WIDTH, WIDTH)) / 2 for _ in range(stages)]
    return weights, rng.normal(size=(EXAMPLES, WIDTH)), rng.normal(size=(EXAMPLES, WIDTH))


def loss_of(weights: list[Any], x: Any, y: Any) -> float:
    for matrix in weights:
        x = np.tanh(x @ matrix)
    return float(((x - y) ** 2).sum() / 2 / len(y))


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: f"{s.name}-{s.ranks}")
def test_a_schedule_computes_the_gradient_of_the_batch(schedule: PipelineSchedule) -> None:
    weights, x, y = problem(schedule.stages)
    step = train_step(schedule, weights, x, y)
    assert step.loss == pytest.approx(loss_of(weights, x, y), rel=1e-12)
    for stage, gradient in enumerate(step.gradients):  # the oracle: central differences
        for i, j in ((0, 0), (2, 3), (4, 1)):
            ends = []
            for sign in (1, -1):
                moved = [matrix.copy() for matrix in weights]
                moved[stage][i, j] += sign * 1e-5
                ends.append(loss_of(moved, x, y))
            assert gradient[i, j] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-8)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: f"{s.name}-{s.ranks}")
def test_the_arrays_confirm_the_account_of_the_runner(schedule: PipelineSchedule) -> None:
    step = train_step(schedule, *problem(schedule.stages))
    assert step.peak_micro_batches == peak_activations(schedule)
    sent = [0] * schedule.ranks
    for (source, _), count in count_messages(schedule).items():
        sent[source] += count
    assert list(step.account.sent_messages) == sent
    one = EXAMPLES // schedule.micro_batches * WIDTH * 8
    assert list(step.account.sent_bytes) == [count * one for count in sent]


def test_gpipe_and_1f1b_agree_to_the_last_bit() -> None:
    first, second = (train_step(schedule, *problem(4)) for schedule in SCHEDULES[:2])
    for one, other in zip(first.gradients, second.gradients, strict=True):
        assert np.array_equal(one, other)


def test_bad_input() -> None:
    weights, x, y = problem(4)
    schedule = SCHEDULES[0]
    with pytest.raises(ValueError, match="one matrix for each of 4 stages, got 3"):
        train_step(schedule, weights[:3], x, y)
    for inputs, targets in ((x[:12], y[:12]), (x, y[:8]), (x[:0], y[:0])):
        with pytest.raises(ValueError, match="a multiple of the 8 micro-batches"):
            train_step(schedule, weights, inputs, targets)
    with pytest.raises(TypeError, match="schedule must be a PipelineSchedule"):
        train_step("1F1B", weights, x, y)  # type: ignore[arg-type]
