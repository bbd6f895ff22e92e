"""Simulators: runs that fail and go on from checkpoints, ranks that wait for the slowest, products of drawn factors.

Nothing here uses the closed forms of ``snippets.foundations.economics.formulas``: clocks run and failures strike, so
that the one can prove the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array
from snippets.domain import (
    as_float,
    at_most,
    each,
    nonnegative_integer,
    nonnegative_number,
    one_of,
    positive_integer,
    positive_number,
)

KINDS = ("work", "checkpoint", "lost", "restart")
_MOST_PIECES = 100_000  # of one run
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Piece:
    """A piece of a run's time.

    Attributes:
        kind: ``"work"`` that is kept, ``"checkpoint"``, ``"lost"`` (work or checkpoint that a failure undid),
            ``"restart"``.
        start_s: when it began.
        end_s: when it ended.

    Example:
        >>> Piece("work", 0.0, 5.0).duration_s
        5.0
    """

    kind: str
    start_s: float
    end_s: float

    @property
    def duration_s(self) -> float:
        """How long it took."""
        return self.end_s - self.start_s


def run_between_failures(
    *, work_s: float, interval_s: float, checkpoint_s: float, restart_s: float, failures_s: npt.ArrayLike
) -> tuple[Piece, ...]:
    """Run a job on a clock, with failures at given times, until all its work is in checkpoints.

    Args:
        work_s: useful time of the run.
        interval_s: useful work between two checkpoints; the last interval may be shorter.
        checkpoint_s: for how long a checkpoint stops the run, at least 0.
        restart_s: from a failure until the run goes on, at least 0; a failure in it begins it anew.
        failures_s: times of the failures, any finite number each, ascending; after the last there is none.

    Returns:
        The pieces in order, without gaps.

    Raises:
        ValueError: if the run has more than 100,000 intervals or failures.

    Example:
        >>> pieces = run_between_failures(
        ...     work_s=4, interval_s=2, checkpoint_s=0.5, restart_s=1, failures_s=[4.0]
        ... )
        >>> [(piece.kind, piece.duration_s) for piece in pieces]
        [('work', 2.0), ('checkpoint', 0.5), ('lost', 1.5), ('restart', 1.0), ('work', 2.0), ('checkpoint', 0.5)]
    """
    W, τ = positive_number("work_s", work_s), positive_number("interval_s", interval_s)
    δ, R = nonnegative_number("checkpoint_s", checkpoint_s), nonnegative_number("restart_s", restart_s)
    failures = [float(time) for time in _times("failures_s", failures_s)]
    at_most("failures_s", len(failures), _MOST_PIECES)
    if W / τ > _MOST_PIECES:
        raise ValueError(f"work_s must be at most {_MOST_PIECES} times interval_s = {τ:g}, got {W:g}")
    as_float("work_s, checkpoint_s, restart_s and failures_s", W + (W / τ + 1) * δ + len(failures) * (τ + δ + R))
    pieces: list[Piece] = []
    clock, done, coming = 0.0, 0.0, 0
    while W - done > 1e-9 * W:
        useful = min(τ, W - done)
        while coming < len(failures) and failures[coming] < clock:
            coming += 1
        struck = failures[coming] if coming < len(failures) else float("inf")
        if struck >= clock + useful + δ:
            pieces.append(Piece("work", clock, clock + useful))
            if δ:
                pieces.append(Piece("checkpoint", clock + useful, clock + useful + δ))
            clock, done = clock + useful + δ, done + useful
            continue
        if struck > clock:
            pieces.append(Piece("lost", clock, struck))
        clock = struck
        coming += 1
        while coming < len(failures) and failures[coming] < clock + R:
            pieces.append(Piece("restart", clock, failures[coming]))
            clock, coming = failures[coming], coming + 1
        if R:
            pieces.append(Piece("restart", clock, clock + R))
        clock += R
    return tuple(pieces)


def simulated_run_s(
    *,
    work_s: float,
    interval_s: float,
    checkpoint_s: float,
    restart_s: float,
    mtbf_s: float,
    runs: int,
    seed: int,
) -> FloatArray:
    """Return how long runs take whose failures come at an even rate, each run with failures of its own.

    Args:
        work_s: useful time of a run.
        interval_s: useful work between two checkpoints.
        checkpoint_s: for how long a checkpoint stops the run, at least 0.
        restart_s: from a failure until the run goes on, at least 0.
        mtbf_s: mean time between failures, exponential.
        runs: how many runs, at most 2²⁰.
        seed: of the random numbers, at least 0.

    Returns:
        Seconds of each run, of shape (runs,).

    Example:
        >>> simulated_run_s(
        ...     work_s=100, interval_s=10, checkpoint_s=1, restart_s=5, mtbf_s=1e9, runs=2, seed=0
        ... ).tolist()
        [110.0, 110.0]
    """
    W, τ = positive_number("work_s", work_s), positive_number("interval_s", interval_s)
    δ, R = nonnegative_number("checkpoint_s", checkpoint_s), nonnegative_number("restart_s", restart_s)
    M = positive_number("mtbf_s", mtbf_s)
    count = at_most("runs", positive_integer("runs", runs), 2**20)
    if W / τ > 1e4:
        raise ValueError(f"interval_s must be at least a 10,000th of work_s = {W:g}, got {interval_s!r}")
    if (τ + δ + R) / M > 20:
        waits = "interval_s, checkpoint_s and restart_s"
        raise ValueError(f"{waits} must be at most 20 times mtbf_s = {M:g} together, got {τ + δ + R:g}")
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    elapsed = np.zeros(count)
    left = W
    while left > 1e-9 * W:
        useful = min(τ, left)
        left -= useful
        todo = np.arange(count)
        while todo.size:  # attempts of this interval, in the runs that have not got through it
            until = rng.exponential(M, todo.size)
            through = until >= useful + δ
            elapsed[todo] += np.where(through, useful + δ, until)
            todo = todo[~through]
            waiting = todo if R else todo[:0]
            while waiting.size:  # restarts, each of which may fail as well
                until = rng.exponential(M, waiting.size)
                elapsed[waiting] += np.minimum(until, R)
                waiting = waiting[until < R]
    return elapsed


def step_times_s(*, mean_s: float, deviation_s: float, ranks: int, steps: int, tail: str, seed: int) -> FloatArray:
    """Draw the times of ranks in steps, independent of each other.

    Args:
        mean_s: mean time of a rank.
        deviation_s: its standard deviation, at most the mean, at least 0.
        ranks: ranks.
        steps: steps; with ``ranks`` at most 2²⁴ times in all.
        tail: ``"normal"``, or ``"exponential"``: a fixed time and an exponential excess, of the same mean and
            deviation.
        seed: of the random numbers, at least 0.

    Returns:
        Seconds, of shape (steps, ranks); the time of a step is the largest of its row.

    Example:
        >>> step_times_s(mean_s=1.0, deviation_s=0, ranks=2, steps=1, tail="normal", seed=0).tolist()
        [[1.0, 1.0]]
    """
    μ, σ = positive_number("mean_s", mean_s), nonnegative_number("deviation_s", deviation_s)
    N, S = positive_integer("ranks", ranks), positive_integer("steps", steps)
    if σ > μ:
        raise ValueError(f"deviation_s must be at most mean_s = {μ:g}, got {deviation_s!r}")
    at_most("ranks times steps", N * S, 2**24)
    tail = one_of("tail", tail, ("normal", "exponential"))
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    if tail == "normal":
        return rng.normal(μ, σ, (S, N))
    return μ - σ + rng.exponential(1.0, (S, N)) * σ


def drawn_products(ranges: Mapping[str, tuple[float, float]], *, draws: int, seed: int) -> FloatArray:
    """Return products of factors, each drawn evenly from its range, independent of the others.

    Args:
        ranges: for each factor its lowest and its highest value, both above 0.
        draws: how many products, at most 2²⁰.
        seed: of the random numbers, at least 0.

    Returns:
        The products, sorted, of shape (draws,).

    Example:
        >>> drawn_products({"a": (2, 2), "b": (3, 3)}, draws=2, seed=0).tolist()
        [6.0, 6.0]
    """
    if not isinstance(ranges, Mapping) or not ranges:
        raise ValueError(f"ranges must name a factor at least, got {ranges!r}")
    count = at_most("draws", positive_integer("draws", draws), 2**20)
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    product = np.ones(count)
    for name, ends in ranges.items():
        both = each("ranges", ends, positive_number)
        if len(both) != 2 or both[0] > both[1]:
            raise ValueError(f"ranges must hold a lowest and a highest value, got {ends!r} for {name!r}")
        product *= rng.uniform(both[0], both[1], count)
    return np.sort(product)


def _times(name: str, values: npt.ArrayLike) -> FloatArray:
    """Return times that ascend, or raise ``ValueError``."""
    times = finite_array(name, values, dimensions=1)
    if (np.diff(times) < 0).any():
        raise ValueError(f"{name} must be a list of ascending times, got {values!r}")
    return times
