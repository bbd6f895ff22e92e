"""Simulators: ranks that measure the gradient noise scale while they train: the local gradient against the averaged.

A rank's own gradient is the small batch, the average over the ranks the big one. Only one number more goes through the
all-reduce: the squared norm of the rank's own gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import at_most, positive_integer, positive_number
from snippets.scaling.batch_size.formulas import gradient_noise_scale, two_batch_noise, two_batch_signal
from snippets.simulation.account import Account
from snippets.simulation.machine import AllReduce, Machine, Program

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class NoiseMeasured:
    """What the ranks have measured in some steps.

    Attributes:
        small_squares: for each step, the mean over ranks of the squared norm of their own gradients.
        big_squares: for each step, the squared norm of the averaged gradient.
        small_batch: examples of a rank.
        big_batch: examples of all ranks.
        account: what the ranks have sent.

    Example:
        >>> seen = measure_noise([[[1.0, 0.0], [0.0, 1.0]]], rank_batch=8)
        >>> seen.small_squares.tolist(), seen.big_squares.tolist(), seen.big_batch
        ([1.0], [0.5], 16)
    """

    small_squares: FloatArray
    big_squares: FloatArray
    small_batch: int
    big_batch: int
    account: Account

    def estimates(self) -> tuple[float, float]:
        """Estimates of signal ‖g‖² and noise tr Σ from the means over all steps."""
        small, big = float(self.small_squares.mean()), float(self.big_squares.mean())
        sizes = {"small_batch": self.small_batch, "big_batch": self.big_batch}
        return (
            two_batch_signal(**sizes, small_square=small, big_square=big),
            two_batch_noise(**sizes, small_square=small, big_square=big),
        )

    def noise_scale(self) -> float:
        """The estimate of the noise scale: a ratio of means; ``ValueError`` where the signal's is not above 0."""
        signal, noise = self.estimates()
        return gradient_noise_scale(noise=max(noise, 0.0), signal=positive_number("estimated signal", signal))


def _program(gradients: Sequence[FloatArray], ranks: int) -> Program:
    """What a rank does in each step: all-reduce its gradient with its squared norm behind it, and divide by the ranks.

    Its result is a list of (mean squared norm of the ranks' gradients, squared norm of their mean).
    """
    seen = []
    for own in gradients:
        average = (yield AllReduce(np.append(own, own @ own))) / ranks  # (entries + 1,)
        seen.append((float(average[-1]), float(average[:-1] @ average[:-1])))
    return seen


def measure_noise(gradients: ArrayLike, *, rank_batch: int) -> NoiseMeasured:
    """Let the ranks of the simulated machine measure the squared norms of two batches in some steps.

    Args:
        gradients: steps × ranks × entries, each rank's own mean gradient; two ranks at least.
        rank_batch: examples of a rank in a step.

    Returns:
        What they have measured.

    Example:
        >>> seen = measure_noise([[[1.0], [3.0]], [[2.0], [2.0]]], rank_batch=4)
        >>> seen.estimates(), sum(seen.account.sent_bytes)
        ((3.5, 4.0), 64)
    """
    local = finite_array("gradients", gradients, dimensions=3)
    steps, ranks, _ = local.shape
    if steps < 1 or ranks < 2 or local.shape[2] < 1:
        raise ValueError(f"gradients must be of 1 step, 2 ranks and 1 entry at least, got shape {local.shape}")
    at_most("ranks", ranks, 4096)
    small = positive_integer("rank_batch", rank_batch)
    machine = Machine(ranks)
    with refusing_overflow("gradients"):
        results: Any = machine.run([_program(list(local[:, rank]), ranks) for rank in range(ranks)])
    small_squares, big_squares = np.array(results[0]).T  # (steps,)
    return NoiseMeasured(small_squares, big_squares, small, small * ranks, machine.account)
