"""Formulas: what a loader must deliver, how many batches it must have in the making, and how late a shuffle buffer is.

Standard library only. ``loader_run`` is the clock of a loader that hands out batches in their order; the queues that
prove it and the closed forms move batches one by one (``snippets.foundations.data_pipeline.simulators``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from snippets.domain import (
    as_float,
    at_most,
    each,
    nonnegative_integer,
    positive_integer,
    positive_number,
)

MOST_BATCHES = 2**17


def input_bytes_per_s(*, examples_per_s: float, example_bytes: float) -> float:
    """Return the bytes that a training run reads in a second.

    Formula: $\\beta_\\text{read} = \\lambda q$
    Symbols: β_read = the result; λ = examples_per_s; q = example_bytes
    Chapter: 4

    Args:
        examples_per_s: images, or tokens, that all GPUs together consume.
        example_bytes: what one of them takes as it is stored.

    Returns:
        Bytes per second.

    Source: derived in this book.
    Convention: bytes that are used; what is read besides is ``read_amplification``.
    Leaves out: caches, which may hold a second epoch's bytes.

    Example:
        >>> input_bytes_per_s(examples_per_s=1280, example_bytes=110_000)
        140800000.0
    """
    rate = positive_number("examples_per_s", examples_per_s)
    return as_float("examples_per_s and example_bytes", rate * positive_number("example_bytes", example_bytes))


def batches_in_flight(*, batches_per_s: float, batch_s: float) -> float:
    """Return how many batches are in the making at any time, on average (Little's law).

    Also: Little's law
    Formula: $J = \\lambda T_\\text{load}$
    Symbols: J = the result; λ = batches_per_s; T_load = batch_s
    Chapter: 4

    Args:
        batches_per_s: batches that leave in a second.
        batch_s: seconds from the start of a batch's making to its end, on average.

    Returns:
        A number of batches; with one batch a worker, of workers that are never idle.

    Source: Little 1961.
    Convention: averages over a long time; a batch is counted from when a worker takes it.
    Leaves out: how far the number swings about its mean.

    Example:
        >>> batches_in_flight(batches_per_s=5, batch_s=1)
        5.0
    """
    rate = positive_number("batches_per_s", batches_per_s)
    return as_float("batches_per_s and batch_s", rate * positive_number("batch_s", batch_s))


def steady_busy_share(*, workers: int, batch_s: float, step_s: float) -> float:
    """Return the share of time for which a GPU is busy if batches and steps all take equally long.

    Formula: $\\rho = \\min\\left(1, \\frac{z\\, T_\\text{step}}{T_\\text{load}}\\right)$
    Symbols: ρ = the result; z = workers; T_load = batch_s; T_step = step_s
    Chapter: 4

    Args:
        workers: processes that each make one batch at a time.
        batch_s: seconds that a worker takes for a batch.
        step_s: seconds that the GPU takes for it.

    Returns:
        A share from 0 to 1.

    Source: derived in this book.
    Convention: the share of the run's time, once it runs steadily.
    Leaves out: that times vary, which ``loader_run`` and ``shared_queue_busy_share`` count.

    Example:
        >>> steady_busy_share(workers=2, batch_s=1, step_s=0.2)
        0.4
    """
    w = positive_integer("workers", workers)
    T, s = positive_number("batch_s", batch_s), positive_number("step_s", step_s)
    return min(1.0, as_float("workers, batch_s and step_s", w * s / T))


def shared_queue_busy_share(*, workers: int, outstanding: int, batch_s: float, step_s: float) -> float:
    """Return the GPU's busy share if batches and steps take exponential times and any finished batch may be next.

    The state is the number n of batches that are finished or in the step. It rises at the rate min(w, K + 1 − n)/T and
    falls at the rate 1/s; a step that ends with n = 0 waits. For one worker it is the queue M/M/1/(K+1).

    Formula: $\\rho = 1 - \\frac{1}{\\sum_{y=0}^{G+1} \\prod_{j<y} \\min(z, G+1-j)\\, T_\\text{step}/T_\\text{load}}$
    Symbols: ρ = the result; z = workers; G = outstanding; T_load = batch_s; T_step = step_s
    Chapter: 4

    Args:
        workers: processes that each make one batch at a time.
        outstanding: batches that may be asked for and not yet be taken, at least as many as there are workers.
        batch_s: mean of the time that a worker takes for a batch.
        step_s: mean of the time that the GPU takes for it.

    Returns:
        A share from 0 to 1.

    Source: Kleinrock 1975 (the birth–death chain).
    Convention: the batch in the step is not among the outstanding ones.
    Leaves out: that a loader may have to hand out batches in their order.

    Example:
        >>> round(shared_queue_busy_share(workers=1, outstanding=1, batch_s=1, step_s=1), 4)
        0.6667
    """
    w, K = positive_integer("workers", workers), at_most("outstanding", positive_integer("outstanding", outstanding))
    if w > K:
        raise ValueError(f"workers must be at most outstanding = {K}, got {workers!r}")
    ratio = Fraction(positive_number("step_s", step_s)) / Fraction(positive_number("batch_s", batch_s))
    if K > 4096:
        raise ValueError(f"outstanding must be at most 4096, got {outstanding!r}")
    term, total = 1.0, 1.0
    for n in range(K + 1):
        term *= min(w, K + 1 - n) * as_float("step_s and batch_s", ratio)
        total += term
        if total > 1e18:  # the share of waiting is below what a float can tell from 0
            break
    return 1 - 1 / total


def still_in_buffer_share(*, slots: int, draws: int) -> float:
    """Return the chance that an example is still in a shuffle buffer after some draws.

    Also: shuffle buffer
    Formula: $\\Pr = (1 - 1/H)^\\delta$
    Symbols: Pr = the result; H = slots; δ = draws
    Chapter: 4

    Args:
        slots: examples that the buffer holds. Each draw takes one of them, all equally likely, and puts in the next.
        draws: draws since the example came in, at least 0.

    Returns:
        A probability.

    Source: derived in this book.
    Convention: the example came in after the buffer was full, and the stream has not ended.
    Leaves out: the buffer's last emptying, when the stream has ended.

    Example:
        >>> still_in_buffer_share(slots=4, draws=2)
        0.5625
    """
    B, d = positive_integer("slots", slots), nonnegative_integer("draws", draws)
    return (1 - 1 / B) ** min(d, 10**15)


def read_amplification(*, example_bytes: int, block_bytes: int) -> float:
    """Return bytes read over bytes used, for examples that lie anywhere in a file that is read in whole blocks.

    Formula: $\\phi = \\frac{q + n_\\text{block} - 1}{q}$
    Symbols: φ = the result; q = example_bytes; n_block = block_bytes
    Chapter: 4

    Args:
        example_bytes: bytes of one example, whose first byte is equally likely at each place of a block.
        block_bytes: bytes of one block: of a page, or of what a store hands out at once.

    Returns:
        A factor of at least 1, on average over the places.

    Source: derived in this book.
    Convention: each read is alone; no cache has the block already.
    Leaves out: reading ahead.

    Example:
        >>> read_amplification(example_bytes=1000, block_bytes=4096)
        5.095
    """
    x, b = positive_integer("example_bytes", example_bytes), positive_integer("block_bytes", block_bytes)
    return as_float("example_bytes and block_bytes", (x + b - 1) / x)


@dataclass(frozen=True)
class LoaderRun:
    """When each batch was begun by its worker, was finished, and was taken by the GPU.

    >>> LoaderRun(1.0, (0.0, 0.0), (2.0, 2.0), (2.0, 3.0)).busy_share
    1.0
    """

    step_s: float
    starts_s: tuple[float, ...]
    ends_s: tuple[float, ...]
    takes_s: tuple[float, ...]

    @property
    def busy_share(self) -> float:
        """Share of the time for which the GPU works, from the first batch's arrival to the end of the last step."""
        return len(self.takes_s) * self.step_s / (self.takes_s[-1] - self.takes_s[0] + self.step_s)


def loader_run(batches_s: Sequence[float], *, step_s: float, workers: int, prefetch_factor: int = 2) -> LoaderRun:
    """Return the clock of a loader like PyTorch's: batch i goes to worker i mod w, and batches leave in their order.

    Batch i is asked for when batch i − wf is taken, begun when its worker has finished batch i − w, and taken when it
    is finished and the step before it has ended.

    Source: derived in this book, from the text of PyTorch's DataLoader.

    Args:
        batches_s: seconds that each batch takes its worker.
        step_s: seconds that the GPU takes for a batch.
        workers: processes that each make one batch at a time.
        prefetch_factor: batches that may be asked for and not yet be taken, for each worker.

    Returns:
        The run.

    Leaves out: workers that slow each other down, the copy to the GPU, and the start of the processes.

    Example:
        >>> loader_run([4, 4, 4, 4], step_s=1, workers=2).takes_s
        (4.0, 5.0, 8.0, 9.0)
    """
    times = each("batches_s", batches_s, positive_number)
    if not times:
        raise ValueError("batches_s must hold at least one time, got none")
    at_most("batches_s", len(times), MOST_BATCHES)
    step = positive_number("step_s", step_s)
    w = at_most("workers", positive_integer("workers", workers))
    ahead = w * at_most("prefetch_factor", positive_integer("prefetch_factor", prefetch_factor))
    starts: list[float] = []
    ends: list[float] = []
    takes: list[float] = []
    for i, time in enumerate(times):
        asked = takes[i - ahead] if i >= ahead else 0.0
        starts.append(max(asked, ends[i - w] if i >= w else 0.0))
        ends.append(as_float("batches_s and step_s", starts[i] + time))
        takes.append(max(ends[i], as_float("batches_s and step_s", takes[-1] + step) if takes else 0.0))
    return LoaderRun(step, tuple(starts), tuple(ends), tuple(takes))
