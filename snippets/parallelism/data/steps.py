"""Simulators: data parallelism on a clock: one step with its micro-batches and sums, and gradients that a server takes.

Neither uses a closed form: the clocks of a rank and of its link are advanced pass by pass and bucket by bucket, those
of a server's workers gradient by gradient. Needs the standard library alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from snippets.domain import (
    as_float,
    at_most,
    each,
    finite_number,
    nonnegative_number,
    one_of,
    positive_integer,
    positive_number,
)
from snippets.foundations.alpha_beta.buckets import Bucket, sent_in_order
from snippets.foundations.alpha_beta.formulas import message_time_s

SUMS = ("last", "each", "after")
_MOST_PASSES = 4096
_MOST_UPDATES = 2**16


@dataclass(frozen=True)
class Pass:
    """A forward (``"F"``) or backward pass (``"B"``) of one micro-batch: when it starts and ends.

    >>> Pass("F", 0, 0.0, 1.0).end_s
    1.0
    """

    kind: str
    micro_batch: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class SharedStep:
    """A step of one rank among equals.

    Attributes:
        passes: its passes in their order.
        buckets: all buckets of gradients that its link sends, in their order.
        end_s: when the last pass and the last bucket are through.
        computing_s: how long the rank computes.

    >>> step = SharedStep((Pass("F", 0, 0.0, 1.0), Pass("B", 0, 1.0, 3.0)), (), 4.0)
    >>> step.computing_s, step.waiting_share
    (3.0, 0.25)
    """

    passes: tuple[Pass, ...]
    buckets: tuple[Bucket, ...]
    end_s: float

    @property
    def computing_s(self) -> float:
        """Sum of the passes."""
        return sum(one.end_s - one.start_s for one in self.passes)

    @property
    def waiting_share(self) -> float:
        """Share of the step in which the rank computes nothing."""
        return 1 - self.computing_s / self.end_s


def shared_step(
    *,
    micro_batches: int,
    forward_s: float,
    backward_s: float,
    total_bytes: float,
    buckets: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    sums: str = "last",
) -> SharedStep:
    """Run one step of a rank: its micro-batches one after the other, and the all-reduce of its gradients in buckets.

    Args:
        micro_batches: m, at most 2,048.
        forward_s: time of a micro-batch's forward pass.
        backward_s: time of its backward pass, in which the gradients become ready at an even rate.
        total_bytes: bytes of all gradients, at least 0.
        buckets: equal buckets for one sum of all gradients, at most 2¹⁰.
        latency_s: α of the all-reduce of a bucket, at least 0.
        bandwidth_bytes_per_s: β of that all-reduce: bytes of bucket in a second.
        sums: ``"last"`` sums the accumulated gradients beside the last backward pass; ``"each"`` sums beside every
            backward pass, and the next micro-batch waits for the sum; ``"after"`` begins when the last pass has ended.

    Returns:
        The passes and buckets.

    Raises:
        ValueError: if there are more than 65,536 buckets in all, where each micro-batch is summed.

    Source: derived in this book; PyTorch's DDP with ``no_sync`` for ``"last"``, without it for ``"each"``.
    Convention: all ranks are alike and begin together.
    Leaves out: the optimizer's step.

    Example:
        >>> step = shared_step(
        ...     micro_batches=2, forward_s=1, backward_s=2, total_bytes=4, buckets=2, latency_s=0,
        ...     bandwidth_bytes_per_s=1,
        ... )
        >>> [bucket.start_s for bucket in step.buckets], step.end_s
        ([5.0, 7.0], 9.0)
    """
    m = at_most("micro_batches", positive_integer("micro_batches", micro_batches), _MOST_PASSES // 2)
    F, B = (
        Fraction(positive_number("forward_s", forward_s)),
        Fraction(positive_number("backward_s", backward_s)),
    )
    k = at_most("buckets", positive_integer("buckets", buckets), 2**10)
    size = nonnegative_number("total_bytes", total_bytes) / k
    link = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    busy = message_time_s(size_bytes=size, **link)
    one_of("sums", sums, SUMS)
    names = "forward_s, backward_s, total_bytes, latency_s and bandwidth_bytes_per_s"
    as_float(names, m * (F + B + k * Fraction(busy)))
    if sums == "each" and k * m > _MOST_UPDATES:
        raise ValueError(f"buckets × micro_batches must be at most {_MOST_UPDATES}, got {k * m}")
    now, passes, sent = Fraction(0), list[Pass](), list[Bucket]()
    for number in range(m):
        middle, end = now + F, now + F + B
        passes += [Pass("F", number, float(now), float(middle)), Pass("B", number, float(middle), float(end))]
        now = end
        if sums == "each" or number == m - 1:
            ready = [end if sums == "after" else middle + B * (j + 1) / k for j in range(k)]
            sent += sent_in_order([float(moment) for moment in ready], [busy] * k)
            now = max(end, Fraction(sent[-1].end_s))
    return SharedStep(tuple(passes), tuple(sent), float(now))


@dataclass(frozen=True)
class Update:
    """A gradient that a server has taken: whose, when its worker had read the parameters, when it came, how stale.

    >>> Update(worker=1, read_s=0.0, at_s=2.0, staleness=3).staleness
    3
    """

    worker: int
    read_s: float
    at_s: float
    staleness: int


def server_updates(times_s: Sequence[Sequence[float]]) -> tuple[Update, ...]:
    """Let workers send gradients to a server that updates at once, and note how stale each gradient is.

    Each worker reads the parameters, takes its next time to compute a gradient, sends it, and reads again. Messages
    take no time.

    Args:
        times_s: for each worker, how long each of its gradients takes.

    Returns:
        The updates in the order in which they are made; of two at the same moment that of the lower worker first.

    Raises:
        ValueError: if there is no worker, or a time is not above 0.

    Source: the asynchronous parameter server of Dean et al. 2012 (Downpour SGD), with a gradient in every message.
    Convention: staleness counts the updates that the server has made between a worker's reading and its gradient.
    Leaves out: messages, and a limit on staleness.

    Example:
        >>> [(update.worker, update.staleness) for update in server_updates([[1, 1, 1], [2.5]])]
        [(0, 0), (0, 0), (1, 2), (0, 1)]
    """
    times = each("times_s", times_s, lambda name, own: each(name, own, positive_number))
    if not times:
        raise ValueError("times_s must hold the times of at least one worker, got none")
    at_most("times_s", sum(map(len, times)), _MOST_UPDATES)
    due = [(own[0], worker, 0.0, 0, 1) for worker, own in enumerate(times) if own]
    heapq.heapify(due)
    updates = list[Update]()
    while due:
        now, worker, read, seen, taken = heapq.heappop(due)
        updates.append(Update(worker, read, now, len(updates) - seen))
        if taken < len(times[worker]):
            heapq.heappush(due, (now + times[worker][taken], worker, now, len(updates), taken + 1))
    return tuple(updates)


def stale_descent(staleness: Sequence[int], *, step: float, curvature: float, start: float = 1.0) -> tuple[float, ...]:
    """Descend the quadratic λθ²/2 by gradients that were taken some updates ago.

    Args:
        staleness: for each update, how many updates before it its gradient's θ was read; at most those made so far,
            and θ before the first update is the start.
        step: η.
        curvature: λ.
        start: the first θ, any finite number.

    Returns:
        θ before the first update and after each.

    Source: derived in this book.
    Convention: θ ← θ − η λ θ_read.
    Leaves out: noise.

    Example:
        >>> stale_descent([0, 1], step=0.5, curvature=1.0)
        (1.0, 0.5, 0.0)
    """
    rate = positive_number("step", step) * positive_number("curvature", curvature)
    path = [finite_number("start", start)]

    def age(name: str, value: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ValueError(f"{name} must be an integer of at least 0, got {value!r}")
        return value

    for made, old in enumerate(each("staleness", staleness, age)):
        path.append(as_float("step, curvature and start", path[-1] - rate * path[max(0, made - old)]))
    return tuple(path)
