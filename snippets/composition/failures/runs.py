"""Simulators: devices that die, runs that write behind their steps, nodes in repair, all drawn and on a clock.

Nothing here uses the closed forms of ``snippets.composition.failures.formulas``, so that the one can prove the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snippets.arrays import refusing_overflow
from snippets.domain import at_most, nonnegative_integer, nonnegative_number, positive_integer, positive_number

FloatArray = npt.NDArray[np.float64]


def first_failures_s(*, device_mtbf_s: float, devices: int, runs: int, seed: int) -> FloatArray:
    """Draw how long each device lives, and return when the first of a run's devices dies.

    Args:
        device_mtbf_s: mean life of one device; lives have no memory.
        devices: devices of a run; with ``runs`` at most 2²⁴ lives in all.
        runs: how many runs.
        seed: of the random numbers, at least 0.

    Returns:
        Seconds, of shape (runs,).

    Example:
        >>> bool(first_failures_s(device_mtbf_s=100.0, devices=50, runs=1000, seed=1).mean() < 3)
        True
    """
    τ = positive_number("device_mtbf_s", device_mtbf_s)
    R, count = positive_integer("devices", devices), positive_integer("runs", runs)
    at_most("devices times runs", R * count, 2**24)
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    lives: FloatArray = rng.exponential(1.0, (count, R))  # (runs, devices), in mean lives
    with refusing_overflow("device_mtbf_s"):
        first: FloatArray = lives.min(axis=1) * τ  # (runs,)
    return first


def simulated_goodput(
    *,
    interval_s: float,
    stop_s: float,
    write_s: float,
    restart_s: float,
    mtbf_s: float,
    failures: int,
    runs: int,
    seed: int,
) -> FloatArray:
    """Return the goodput of runs on a clock that copy their state, go on, and write the copy behind the next steps.

    Args:
        interval_s: useful work between two copies.
        stop_s: for how long a copy stops the run, at least 0.
        write_s: from the end of a copy until it is safe, at least 0 and at most an interval with its stop; 0 where the
            run stops for the whole write.
        restart_s: from a failure until the run goes on, at least 0; a failure in it begins it anew.
        mtbf_s: mean time between failures, exponential.
        failures: how many mean times between failures a run lasts.
        runs: how many runs, at most 2¹⁶.
        seed: of the random numbers, at least 0.

    Returns:
        For each run the work in safe checkpoints over the time, of shape (runs,).

    Raises:
        ValueError: if that is more than 200,000 intervals, an interval and a restart take longer than 20 times
            ``mtbf_s``, or a write takes longer than an interval.

    Example:
        >>> shares = simulated_goodput(
        ...     interval_s=9, stop_s=1, write_s=5, restart_s=0, mtbf_s=1e6, failures=1, runs=20, seed=0
        ... )
        >>> round(float(shares.mean()), 3)
        0.9
    """
    τ, δ = positive_number("interval_s", interval_s), nonnegative_number("stop_s", stop_s)
    write, back = nonnegative_number("write_s", write_s), nonnegative_number("restart_s", restart_s)
    mean, lasts = positive_number("mtbf_s", mtbf_s), positive_integer("failures", failures)
    count = at_most("runs", positive_integer("runs", runs), 2**16)
    if write > (τ + δ) * (1 + 1e-9):
        raise ValueError(f"write_s must be at most interval_s + stop_s = {τ + δ:g}, got {write_s!r}")
    if lasts * mean > 200_000 * (τ + δ):
        raise ValueError(
            f"failures × mtbf_s must be at most 200,000 × (interval_s + stop_s) = {200_000 * (τ + δ):g}, "
            f"got {failures!r} × {mtbf_s!r}"
        )
    if back + τ + δ > 20 * mean:
        raise ValueError(
            f"interval_s + stop_s + restart_s must be at most 20 × mtbf_s = {20 * mean:g}, got {back + τ + δ:g}"
        )
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    clock, fails = np.zeros(count), rng.exponential(mean, count)
    done, safe = np.zeros(count), np.zeros(count)  # work in the ranks' memories, and in finished checkpoints
    written, writing = np.full(count, np.inf), np.zeros(count)  # when the copy under way is safe, and its work
    while (clock < lasts * mean).any():
        copied = clock + τ + δ
        until = np.minimum(copied, fails)
        finished = written <= until + 1e-9 * (τ + δ)  # a write as long as an interval ends with the next copy
        safe = np.where(finished, writing, safe)
        written = np.where(finished, np.inf, written)
        struck = fails < copied
        done = np.where(struck, safe, done + τ)
        writing = np.where(struck, writing, done)
        written = np.where(struck, np.inf, copied + write)
        if write == 0:
            safe, written = np.where(struck, safe, done), np.full(count, np.inf)
        clock = until
        hit = np.flatnonzero(struck)
        waiting = hit if back else hit[:0]
        while waiting.size:  # restarts, each of which may fail as well
            lives = rng.exponential(mean, waiting.size)
            clock[waiting] += np.minimum(lives, back)
            waiting = waiting[lives < back]
        fails[hit] = clock[hit] + rng.exponential(mean, hit.size)
    goodput: FloatArray = safe / clock
    return goodput


def broken_nodes(*, nodes: int, node_mtbf_s: float, repair_s: float, looks: int, seed: int) -> npt.NDArray[np.int64]:
    """Look at a cluster many times and return how many nodes are in repair, if each is replaced by a spare at once.

    Args:
        nodes: nodes that run at all times.
        node_mtbf_s: mean time between failures of one node.
        repair_s: how long a repair takes.
        looks: how many times, at most 2²⁰, each two repairs after the one before.
        seed: of the random numbers, at least 0.

    Returns:
        Broken nodes at each look, of shape (looks,).

    Raises:
        ValueError: if there were more than 2²³ failures.

    Example:
        >>> int(broken_nodes(nodes=1, node_mtbf_s=1e9, repair_s=1.0, looks=5, seed=0).max())
        0
    """
    count = positive_integer("nodes", nodes)
    τ, repair = positive_number("node_mtbf_s", node_mtbf_s), positive_number("repair_s", repair_s)
    times = at_most("looks", positive_integer("looks", looks), 2**20)
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    expected = 2 * (times + 1) * count * (repair / τ)
    if expected > 2**23:
        raise ValueError(
            f"looks, nodes, node_mtbf_s and repair_s must be such that there are at most 2²³ failures, got {expected:g}"
        )
    gaps = rng.exponential(1.0, int(expected + 8 * expected**0.5 + 50))  # in mean times between failures of all nodes
    with np.errstate(over="ignore"):  # an infinity is after the last look
        failed = np.cumsum(gaps) * (τ / repair / count)  # in repairs
    at = 2.0 * np.arange(1, times + 1)
    return np.searchsorted(failed, at) - np.searchsorted(failed, at - 1.0)


@dataclass(frozen=True)
class Stretch:
    """A stretch of a run's time, in a lane.

    Attributes:
        lane: ``"GPUs"`` or ``"storage"``.
        kind: ``"work"``, ``"copy"`` (the run stops), ``"write"``, ``"lost"`` (work or a write that a failure undid).
        start_s: when it began.
        end_s: when it ended.

    Example:
        >>> Stretch("GPUs", "work", 0.0, 5.0).end_s
        5.0
    """

    lane: str
    kind: str
    start_s: float
    end_s: float


def one_life(
    *, interval_s: float, stop_s: float, write_s: float, failure_s: float
) -> tuple[tuple[Stretch, ...], float]:
    """Run until a failure, saving as ``simulated_goodput`` does, and return what was done, and what is safe.

    Args:
        interval_s: useful work between two copies.
        stop_s: for how long the run stops while it copies, at least 0.
        write_s: from the end of a copy until it is safe, at least 0 and at most an interval with its stop.
        failure_s: when the failure comes, at most 10,000 intervals from the start.

    Returns:
        The stretches, lane by lane; and the useful work in the last checkpoint that was safe, in seconds.

    Raises:
        ValueError: if a write takes longer than an interval, or there are too many intervals.

    Example:
        >>> stretches, safe_s = one_life(interval_s=10, stop_s=1, write_s=5, failure_s=25)
        >>> safe_s, stretches[-1]
        (10.0, Stretch(lane='storage', kind='lost', start_s=22.0, end_s=25.0))
    """
    τ, δ = positive_number("interval_s", interval_s), nonnegative_number("stop_s", stop_s)
    write, fails = nonnegative_number("write_s", write_s), positive_number("failure_s", failure_s)
    if write > (τ + δ) * (1 + 1e-9):
        raise ValueError(f"write_s must be at most interval_s + stop_s = {τ + δ:g}, got {write_s!r}")
    if fails > 10_000 * τ:
        raise ValueError(f"failure_s must be at most 10,000 times interval_s = {τ:g}, got {failure_s!r}")
    gpus, storage, clock = [], [], 0.0
    begun: list[tuple[str, float, float]] = []
    while clock < fails:
        begun += [("work", clock, clock + τ), ("copy", clock + τ, clock + τ + δ)]
        clock += τ + δ
        storage.append((clock, clock + write))
    safe = sum(end <= fails for _, end in storage)
    kept_until = safe * (τ + δ)
    for kind, start, end in begun:
        if start < min(end, fails):
            gpus.append(Stretch("GPUs", kind if end <= kept_until else "lost", start, min(end, fails)))
    written = [
        Stretch("storage", "write" if end <= fails else "lost", start, min(end, fails))
        for start, end in storage
        if start < min(end, fails)
    ]
    return (*gpus, *written), safe * τ
