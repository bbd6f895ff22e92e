"""Exercises of chapter 18: who runs which micro-batch when, what that costs, and where to cut the layers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def one_f_one_b_order(*, stages: int, micro_batches: int, stage: int) -> list[tuple[str, int]]:
    """Return the order in which a stage of 1F1B runs its passes.

    The grader asks for every stage's order, runs them together on the book's runner with a forward of 1 and a backward
    of 2 time units, and looks at the makespan, the bubble and the activations that each stage holds.

    Args:
        stages: number of stages, one on each device, at least 1.
        micro_batches: micro-batches of a step, at least 1; there may be fewer than stages.
        stage: which stage, from 0; stage 0 gets the inputs.

    Returns:
        One pair for each pass, in order: ``("F", 0)`` is the forward of micro-batch 0, ``("B", 0)`` its backward.
    """
    raise NotImplementedError("one_f_one_b_order is still to be written")


def least_micro_batches(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    """Return the fewest micro-batches whose bubble is strictly below a limit.

    Args:
        stages: number of stages, at least 1.
        bubble: the limit, as a share of the step's time, above 0 and below 1.
        chunks: model chunks on each device; above 1, the schedule is interleaved 1F1B, which needs at least as many
            micro-batches as there are stages.

    Returns:
        Micro-batches of a step, at least 1.
    """
    raise NotImplementedError("least_micro_batches is still to be written")


def peak_activations(order: Sequence[tuple[str, int]]) -> int:
    """Return the most micro-batches whose activations a device holds at once.

    Args:
        order: the passes of one device, as ``one_f_one_b_order`` returns them; it may be empty. If it has passes
            ``("W", i)``, the backward is split everywhere in it, and micro-batch i is held until its W; else it is held
            until its B. While a pass runs, its own micro-batch is held.

    Returns:
        Micro-batches.
    """
    raise NotImplementedError("peak_activations is still to be written")


def cut_layers(layer_s: Sequence[int], *, stages: int) -> list[int]:
    """Cut a model's layers into consecutive stages so that the slowest stage is as fast as possible.

    Args:
        layer_s: the time of each layer in s, positive whole numbers.
        stages: number of stages, from 1 to the number of layers.

    Returns:
        For each stage its number of layers, at least 1. Where several cuts are best, any of them.
    """
    raise NotImplementedError("cut_layers is still to be written")
