"""Grader of chapter 22's ``zero1_step``: a step of ZeRO-1 on simulated ranks, whose arrays are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from snippets.machine import RankProgramError
from snippets.memory.sharded_adam import Adam, GivenGradients, adam_update, run_sharded_adam
from snippets.memory.sharded_programs import run_sharded_program
from snippets.memory.zero import shard_length

PROBLEM, PARAMETERS, FIRST, SECOND, SENT, PEAK = (
    "what stops the ranks",
    "parameters of each rank",
    "first averages",
    "second averages",
    "bytes sent by each rank",
    "bytes held by each rank at its peak",
)


def run_step(
    function: Callable[..., Any], *, initial: list[int], gradients: list[list[list[int]]], learning_rate: float
) -> dict[str, Any]:
    """Run the answer once a step on every rank."""
    try:
        run = run_sharded_program(partial(function, learning_rate=learning_rate), initial, gradients)
    except RankProgramError as error:
        return {PROBLEM: str(error)}
    _, needed = _cost(len(initial), len(gradients[0]), len(gradients))
    return {
        PROBLEM: "nothing",
        PARAMETERS: [_rounded(parameters) for parameters in run.parameters],
        FIRST: _rounded(run.first),
        SECOND: _rounded(run.second),
        SENT: list(run.account.sent_bytes),
        PEAK: list(map(max, run.account.peak_bytes, needed)),  # less is no fault: a single rank needs no collective
    }


def _rounded(array: Any) -> list[float]:
    """Return float32 numbers with as many digits as they have."""
    return [float(f"{number:.6g}") for number in array]


def replicated_step(*, initial: list[int], gradients: list[list[list[int]]], learning_rate: float) -> dict[str, Any]:
    """Take the result from Adam on one device, and the cost from the book's sharded Adam in stage 1."""
    ranks = len(gradients[0])
    whole = np.array(initial, float)
    first, second = np.zeros_like(whole), np.zeros_like(whole)
    for step, each in enumerate(gradients, start=1):
        mean = np.mean(np.array(each, float).reshape(ranks, -1), axis=0)
        adam_update(whole, first, second, mean, step=step, adam=Adam(learning_rate=learning_rate))
    sent, peak = _cost(len(initial), ranks, len(gradients))
    return {
        PROBLEM: "nothing",
        PARAMETERS: [_rounded(whole)] * ranks,
        FIRST: _rounded(first),
        SECOND: _rounded(second),
        SENT: list(sent),
        PEAK: list(peak),
    }


@lru_cache
def _cost(count: int, ranks: int, steps: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what each rank sends and holds; besides its state, it holds the sum of its shard when it arrives."""
    model = GivenGradients(np.zeros((steps, 1, ranks, count)), units=(count,))
    run = run_sharded_adam(model, [np.zeros(count)], ranks=ranks, stage=1, recipe="fp32-adam", steps=steps)
    arriving = [4 * shard_length(count, ranks=ranks, rank=rank) for rank in range(ranks)]
    peaks = (peak + more for peak, more in zip(run.account.peak_bytes, arriving, strict=True))
    return run.account.sent_bytes, tuple(peaks)
