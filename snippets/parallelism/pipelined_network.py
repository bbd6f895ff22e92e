"""Simulators: a small network that a pipeline schedule really trains: arrays, messages, what each rank stores.

Stage i computes tanh(x @ W_i). A rank holds the weights of its stages, the activations that it still needs and
nothing else; a result reaches the next stage through a mailbox, unless both stages live on one rank. The loss of an
example is half the squared distance between the last stage's output and its target, that of a batch their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.background.arrays import number_array, refusing_overflow
from snippets.domain import each
from snippets.parallelism.pipeline_runner import run_pipeline
from snippets.parallelism.pipeline_schedules import PipelineSchedule, Task

Array = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class TrainingStep:
    """What a step computed and what it cost.

    Attributes:
        loss: mean over the batch.
        gradients: the gradient of the loss with respect to each stage's weights.
        messages: arrays that each rank sent.
        sent_bytes: their bytes, for each rank.
        peak_micro_batches: the most micro-batches (of one stage) whose activations each rank stored at once.

    Source: the book's own notation.
    Convention: counted at the sender. A micro-batch is stored from its F to its B, or to its W where there is one.
    Leaves out: the sum over the two copies of a stage that a bidirectional schedule keeps: it is in ``gradients``, and
        its messages are not counted.

    Example:
        >>> TrainingStep(0.5, (), (1,), (8,), (1,)).sent_bytes
        (8,)
    """

    loss: float
    gradients: tuple[Array, ...]
    messages: tuple[int, ...]
    sent_bytes: tuple[int, ...]
    peak_micro_batches: tuple[int, ...]


class _Rank:
    """Weights, stored activations and gradients of one rank, and a mailbox for each task that waits for an input."""

    def __init__(self) -> None:
        self.weights: dict[int, Array] = {}
        self.gradients: dict[int, Array] = {}
        self.stored: dict[tuple[int, int], tuple[Array, Array]] = {}
        self.mailbox: dict[Task, Array] = {}
        self.messages = self.sent_bytes = self.peak = 0

    def forward(self, task: Task) -> Array:
        """Compute the output of a stage, and store what its backward needs."""
        x = self.mailbox.pop(task)
        output: Array = np.tanh(x @ self.weights[task.stage])
        self.stored[task.micro_batch, task.stage] = x, output
        self.peak = max(self.peak, len(self.stored))
        return output

    def backward(self, task: Task, *, split: bool) -> Array:
        """Compute the gradient of a stage's input; add up that of its weights too, unless W does so later."""
        key = task.micro_batch, task.stage
        x, output = self.stored[key]
        inner = self.mailbox.pop(task) * (1 - output**2)
        self.stored[key] = x, inner
        if not split:
            self.weight_gradient(task)
        result: Array = inner @ self.weights[task.stage].T
        return result

    def weight_gradient(self, task: Task) -> None:
        """Add up the gradient of a stage's weights, and drop the activations."""
        x, inner = self.stored.pop((task.micro_batch, task.stage))
        self.gradients[task.stage] = self.gradients.get(task.stage, 0) + x.T @ inner


@refusing_overflow("weights, inputs and targets")
def train_step(schedule: PipelineSchedule, weights: Sequence[Array], inputs: Array, targets: Array) -> TrainingStep:
    """Run one training step in the order of a schedule, every rank with a memory of its own.

    Args:
        schedule: any schedule that can run; it has one stage for each matrix.
        weights: the matrix of each stage; neighbours fit.
        inputs: examples × features of the first stage. Micro-batches are equal parts of them, in order.
        targets: examples × features of the last stage's output.

    Returns:
        Loss and gradients of the whole batch, and the account.

    Raises:
        TypeError: if ``schedule`` is no ``PipelineSchedule``.
        ValueError: if there are not as many matrices as stages, the micro-batches do not divide the examples, inputs
            and targets differ in length, or the schedule cannot run.

    Source: the chain rule; Huang et al. 2019 (GPipe) for the sum over micro-batches.
    Convention: gradients of the mean over the batch. Tasks run in the order of their starts when all last equally
        long; every order that the dependencies allow gives the same result up to rounding.
    Leaves out: the optimizer.

    Example:
        >>> from snippets.parallelism.pipeline_schedules import one_f_one_b
        >>> x, y = np.ones((4, 2)), np.zeros((4, 2))
        >>> step = train_step(one_f_one_b(stages=2, micro_batches=2), [np.eye(2), np.eye(2)], x, y)
        >>> step.messages, step.sent_bytes, step.peak_micro_batches
        ((2, 2), (64, 64), (2, 1))
    """
    if not isinstance(schedule, PipelineSchedule):
        raise TypeError(f"schedule must be a PipelineSchedule, got {schedule!r}")
    timeline = run_pipeline(schedule, dict.fromkeys("FBW" if schedule.splits_backward else "FB", 1))
    weights = each("weights", weights, _matrix)
    inputs, targets = _matrix("inputs", inputs), _matrix("targets", targets)
    if len(weights) != schedule.stages:
        raise ValueError(f"weights must hold one matrix for each of {schedule.stages} stages, got {len(weights)}")
    shapes = [(0, inputs.shape[1]), *(weight.shape for weight in weights), (targets.shape[1], 0)]
    if any(left[1] != right[0] for left, right in pairwise(shapes)):
        raise ValueError(f"inputs, weights and targets must fit their neighbours, got {shapes[1:-1]} for the weights")
    if len(inputs) != len(targets) or not len(inputs) or len(inputs) % schedule.micro_batches:
        raise ValueError(
            f"inputs and targets must hold the same number of examples, a multiple of the {schedule.micro_batches} "
            f"micro-batches, got {len(inputs)} and {len(targets)}"
        )
    ranks = [_Rank() for _ in range(schedule.ranks)]
    for placement in schedule.placements:
        for stage, home in enumerate(placement):
            ranks[home].weights[stage] = weights[stage]
    for i, part in enumerate(np.split(inputs, schedule.micro_batches)):
        first = Task("F", i, 0)
        ranks[schedule.rank_of(first)].mailbox[first] = part
    losses = _run(schedule, ranks, [event[:2] for event in sorted(timeline.events(), key=lambda e: e[2])], targets)
    return TrainingStep(
        loss=sum(losses) / len(inputs),
        gradients=tuple(
            sum((d.gradients[s] for d in ranks if s in d.gradients), start=np.zeros_like(weights[s])) / len(inputs)
            for s in range(schedule.stages)
        ),
        messages=tuple(d.messages for d in ranks),
        sent_bytes=tuple(d.sent_bytes for d in ranks),
        peak_micro_batches=tuple(d.peak for d in ranks),
    )


def _matrix(name: str, value: Any) -> Array:
    """Return ``value`` as a matrix of real numbers, or raise ``ValueError``."""
    matrix: Array = number_array(name, value, dimensions=2)
    if matrix.dtype.kind == "c":
        raise ValueError(f"{name} must hold real numbers, got {matrix.dtype}")
    return matrix


def _run(schedule: PipelineSchedule, ranks: list[_Rank], tasks: list[tuple[int, Task]], targets: Array) -> list[float]:
    """Run all tasks in order, and return each micro-batch's sum of losses."""
    parts = np.split(targets, schedule.micro_batches)
    losses = []
    for home, task in tasks:
        rank, (kind, i, stage) = ranks[home], task
        if kind == "W":
            rank.weight_gradient(task)
            continue
        if kind == "F":
            result, receiver = rank.forward(task), Task("F", i, stage + 1)
            if stage == schedule.stages - 1:
                result, receiver = result - parts[i], Task("B", i, stage)
                losses.append(float((result**2).sum() / 2))
        else:
            result, receiver = rank.backward(task, split=schedule.splits_backward), Task("B", i, stage - 1)
            if stage == 0:
                continue
        there = schedule.rank_of(receiver)
        ranks[there].mailbox[receiver] = result
        if there != home:
            rank.messages += 1
            rank.sent_bytes += result.nbytes
    return losses
