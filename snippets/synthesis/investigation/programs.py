"""Simulators: ranks that share a seed or have their own, and Muon run once for each micro-batch or for each step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import at_most, flag, nonnegative_integer, positive_integer, positive_number
from snippets.parallelism.tensor.programs import run_pair

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SeededRun:
    """What tensor-parallel ranks drew and learned.

    Attributes:
        apart: after each number of steps, from 0, how far the first two ranks' shards of the first matrix are apart,
            as a share of their length.
        losses: mean squared error, likewise.
        columns: different columns of the first matrix at the end.

    >>> SeededRun((0.0,), (1.0,), 4).columns
    4
    """

    apart: tuple[float, ...]
    losses: tuple[float, ...]
    columns: int


@refusing_overflow("learning_rate")
def train_seeded(
    *,
    ranks: int,
    shared: bool,
    steps: int,
    hidden: int = 8,
    inner: int = 16,
    seed: int = 36,
    learning_rate: float = 0.05,
) -> SeededRun:
    """Train a block of two matrices, cut among tensor-parallel ranks that drew their own shards.

    The block runs on the simulated machine, with the all-reduces of chapter 17. Only how the shards are drawn differs.

    Args:
        ranks: of the tensor axis, at least 2; they divide ``inner``.
        shared: whether all ranks draw with one seed, or each with its own.
        steps: of gradient descent, at least 0.
        hidden: width of the input and the output.
        inner: width between the matrices.
        seed: of the data, and the one from which the ranks' seeds come, at least 0.
        learning_rate: of gradient descent.

    Returns:
        How far two ranks' shards are apart, and the losses.

    Example:
        >>> train_seeded(ranks=2, shared=True, steps=3).apart
        (0.0, 0.0, 0.0, 0.0)
        >>> train_seeded(ranks=2, shared=False, steps=3).apart[0] > 1
        True
    """
    t, h = (
        at_most("ranks", positive_integer("ranks", ranks), 16),
        at_most("hidden", positive_integer("hidden", hidden), 64),
    )
    k = at_most("inner", positive_integer("inner", inner), 256)
    if t < 2 or k % t:
        raise ValueError(f"ranks must be at least 2 and divide inner = {k}, got {ranks!r}")
    seed, eta = nonnegative_integer("seed", seed), positive_number("learning_rate", learning_rate)
    steps = at_most("steps", nonnegative_integer("steps", steps), 1000)
    same = flag("shared", shared)
    own = [np.random.default_rng([seed, 1 if same else 1 + r]) for r in range(t)]
    first = np.concatenate([g.normal(size=(h, k // t)) / h**0.5 for g in own], axis=1)  # (h, inner)
    second = np.concatenate([g.normal(size=(k // t, h)) / k**0.5 for g in own], axis=0)  # (inner, h)
    data = np.random.default_rng([seed, 0])
    x = data.normal(size=(64, h))  # (examples, h)
    wanted = np.tanh(x @ data.normal(size=(h, h)) / h**0.5)
    apart, losses = [], []
    for step in range(steps + 1):
        run = run_pair(x, first, second, lambda output: 2 * (output - wanted) / len(x), ranks=t, cuts=("column", "row"))
        losses.append(float(np.mean((run.output - wanted) ** 2)))
        one, two = first[:, : k // t], first[:, k // t : 2 * (k // t)]
        apart.append(float(np.linalg.norm(one - two) / np.linalg.norm(one)))
        if step < steps:
            first = first - eta * run.first_gradient
            second = second - eta * run.second_gradient
    return SeededRun(tuple(apart), tuple(losses), int(np.unique(first, axis=1).shape[1]))


@refusing_overflow("matrix")
def orthogonalised(matrix: Array) -> Array:
    """Return the nearest matrix with orthogonal rows or columns: what Muon's iterations come near.

    Args:
        matrix: of two axes, not all 0, finite.

    Returns:
        A matrix of the same shape whose singular values, but for those that are 0, are 1.

    Example:
        >>> orthogonalised(np.diag([3.0, 0.5])).round(6).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    matrix = finite_array("matrix", matrix, dimensions=2)
    if not matrix.any():
        raise ValueError(f"matrix must hold something other than 0, got {matrix.tolist()!s:.60}")
    left, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    kept = sizes > 1e-12 * sizes[0]
    return np.asarray((left[:, kept] @ right[kept]), dtype=float)


@dataclass(frozen=True)
class MuonRun:
    """The directions of one optimizer step, and what they cost.

    Attributes:
        once: how often the matrix was orthogonalised, if once for each step.
        each: how often, if for each micro-batch.
        error: how far the mean of the micro-batches' directions is from the step's, as a share of its length.

    >>> MuonRun(1, 4, 0.5).each
    4
    """

    once: int
    each: int
    error: float


@refusing_overflow("noise")
def muon_step(*, micro_batches: int, rows: int = 16, columns: int = 24, noise: float = 1.0, seed: int = 36) -> MuonRun:
    """Orthogonalise the accumulated gradient once, and each micro-batch's own, and compare.

    Args:
        micro_batches: m of the step.
        rows: of the weight.
        columns: of the weight.
        noise: length of a micro-batch's own part of the gradient, as a multiple of what all have in common.
        seed: of the gradients, at least 0.

    Returns:
        Calls of both ways, and how far they end apart.

    Example:
        >>> run = muon_step(micro_batches=4)
        >>> run.once, run.each, run.error > 0.1
        (1, 4, True)
        >>> muon_step(micro_batches=1).error
        0.0
    """
    m = at_most("micro_batches", positive_integer("micro_batches", micro_batches), 256)
    shape = tuple(
        at_most(name, positive_integer(name, value), 256) for name, value in (("rows", rows), ("columns", columns))
    )
    scale = positive_number("noise", noise)
    chance = np.random.default_rng(nonnegative_integer("seed", seed))
    common = chance.normal(size=shape)
    gradients = [common + scale * chance.normal(size=shape) for _ in range(m)]
    right = orthogonalised(np.mean(gradients, axis=0))
    wrong = np.mean([orthogonalised(g) for g in gradients], axis=0)
    error = float(np.linalg.norm(wrong - right) / np.linalg.norm(right))
    return MuonRun(1, m, 0.0 if m == 1 else error)
