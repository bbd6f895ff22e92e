"""Simulators: ranks that take local steps and average now and then, on the simulated machine, with an outer optimizer.

Every rank's loss is a bowl of its own, the sum over its entries i of ``curvatures[r, i] (θ[i] − minima[r, i])² / 2``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array
from snippets.domain import at_most, nonnegative_integer, number_between, positive_integer, positive_number
from snippets.simulation.account import Account
from snippets.simulation.machine import AllReduce, Machine, Program
from snippets.simulation.schedule import chunk_bounds

Array = npt.NDArray[np.float64]
_MOST = 10_000


@dataclass(frozen=True)
class LocalRun:
    """What ranks with local steps have come to.

    Attributes:
        weights: the shared weights after each round, of shape (rounds + 1, entries); the first are the start.
        paths: every rank's own weights after each step, of shape (ranks, steps + 1, entries).
        account: what was sent.
        largest_bytes: of one message.

    Example:
        >>> bowls = {"curvatures": [[1.0], [1.0]], "minima": [[0.0], [2.0]]}
        >>> run = run_local_sgd(**bowls, step_size=0.5, local_steps=2, rounds=1)
        >>> run.weights.tolist()
        [[0.0], [0.75]]
    """

    weights: Array
    paths: Array
    account: Account
    largest_bytes: int


def run_local_sgd(
    *,
    curvatures: npt.ArrayLike,
    minima: npt.ArrayLike,
    step_size: float,
    local_steps: int,
    rounds: int,
    outer_step: float = 1.0,
    momentum: float = 0.0,
    fragments: int = 1,
    noise: float = 0.0,
    seed: int = 0,
) -> LocalRun:
    """Let ranks take local steps from 0, and average what they have learnt after each round.

    Args:
        curvatures: of each rank's bowl, of shape (ranks, entries), above 0.
        minima: where each rank's bowl is lowest, of the same shape.
        step_size: of a local step.
        local_steps: between two averages of an entry.
        rounds: how many; at most 10,000 steps in all.
        outer_step: of the outer optimizer; 1 without momentum is plain averaging.
        momentum: of the outer optimizer, Nesterov's, from 0 to 1.
        fragments: pieces of the weights, averaged at steps of their own; must divide local_steps.
        noise: standard deviation of what is added to every entry of a gradient, at least 0.
        seed: of that noise, at least 0.

    Returns:
        The weights after each round, the ranks' paths, and the account. With fragments, a round's weights are what the
        ranks began with at the last average of each entry.

    Source: Stich 2019, local SGD; Douillard et al. 2023, algorithm 1: the outer gradient is the old shared weights less
        the mean of the ranks' new ones; Douillard et al. 2025, fragments.
    Convention: outer gradients go around a ring all-reduce; all ranks keep the shared weights and the momentum.
    Leaves out: time, and inner optimizers other than plain descent.

    Example:
        >>> run_local_sgd(
        ...     curvatures=[[1.0], [3.0]], minima=[[0.0], [4.0]], step_size=0.25, local_steps=1, rounds=60
        ... ).weights[-1].round(6).tolist()
        [3.0]
    """
    λ, θ = finite_array("curvatures", curvatures, dimensions=2), finite_array("minima", minima, dimensions=2)
    if λ.shape != θ.shape or not λ.size or λ.min() <= 0:
        raise ValueError(
            f"curvatures must be above 0 and of the shape of minima, {θ.shape}, got {λ.shape}, {curvatures!r}"
        )
    η, H = positive_number("step_size", step_size), positive_integer("local_steps", local_steps)
    count = positive_integer("rounds", rounds)
    at_most("local_steps times rounds", count * H, _MOST)
    out, μ = positive_number("outer_step", outer_step), number_between("momentum", momentum, low=0, high=1)
    K = positive_integer("fragments", fragments)
    if H % K or λ.shape[1] < K:
        raise ValueError(f"fragments must divide local_steps ({H}) and be at most {λ.shape[1]}, got {fragments}")
    σ = number_between("noise", noise, low=0, high=1e6)
    drawn_by = nonnegative_integer("seed", seed)
    ranks = len(λ)
    machine = Machine(ranks)
    given = [
        _local_program(
            λ[r],
            θ[r],
            ranks,
            (η, H, count),
            (out, μ, K),
            σ * np.random.default_rng((drawn_by, r)).normal(size=(H * count, λ.shape[1])),
        )
        for r in range(ranks)
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        results = machine.run(given)
    if not all(np.isfinite(path).all() for _, path in results):
        raise ValueError(
            f"curvatures, minima, step_size, outer_step and momentum must let the weights stay finite, got step_size "
            f"{step_size!r}, outer_step {outer_step!r} and momentum {momentum!r}"
        )
    largest = max((message.sent_bytes for message in machine.account.messages), default=0)
    return LocalRun(results[0][0], np.stack([path for _, path in results]), machine.account, largest)


def _local_program(
    λ: Array,
    minimum: Array,
    ranks: int,
    inner: tuple[float, int, int],
    outer: tuple[float, float, int],
    noise: Array,
) -> Program:
    """Take local steps, and after some of them average a fragment with the other ranks."""
    (η, H, rounds), (out, μ, K) = inner, outer
    mine, shared, speed = np.zeros_like(λ), np.zeros_like(λ), np.zeros_like(λ)  # (entries,)
    history, path = [shared.copy()], [mine.copy()]
    pieces = [slice(*bounds) for bounds in chunk_bounds(len(λ), K)]
    for step in range(1, H * rounds + 1):
        mine = mine - η * (λ * (mine - minimum) + noise[step - 1])
        for number, piece in enumerate(pieces):
            if (step - (number + 1) * (H // K)) % H == 0:
                total = yield AllReduce(shared[piece] - mine[piece])
                change = total / ranks
                speed[piece] = μ * speed[piece] + change
                shared[piece] = shared[piece] - out * (change + μ * speed[piece])
                mine[piece] = shared[piece]
        path.append(mine.copy())
        if step % H == 0:
            history.append(shared.copy())
    return np.stack(history), np.stack(path)
