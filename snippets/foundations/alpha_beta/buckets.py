"""Simulators: gradients sent in buckets while the backward pass still runs: when each bucket leaves and arrives.

Nothing here uses the closed form of ``snippets.foundations.alpha_beta.formulas``: the clock of a link is advanced
bucket by bucket, in exact fractions, so that the one can prove the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from snippets.domain import as_float, at_most, each, nonnegative_number, positive_integer
from snippets.foundations.alpha_beta.formulas import message_time_s

_NAMES = "total_bytes, buckets, compute_s, latency_s and bandwidth_bytes_per_s"


@dataclass(frozen=True)
class Bucket:
    """When a bucket is full, when the link takes it, and when it has been sent.

    >>> Bucket(ready_s=1.0, start_s=2.0, end_s=5.0).waited_s
    1.0
    """

    ready_s: float
    start_s: float
    end_s: float

    @property
    def waited_s(self) -> float:
        """Time for which the bucket was full and the link busy with the one before."""
        return self.start_s - self.ready_s


def bucketed_step(
    *, total_bytes: float, buckets: int, compute_s: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[Bucket, ...]:
    """Return what happens to every bucket of a step.

    Args:
        total_bytes: bytes of all buckets together, at least 0.
        buckets: number of equal buckets, at most 2²⁰.
        compute_s: seconds over which the bytes become ready, at an even rate, at least 0.
        latency_s: α of the operation that sends a bucket, at least 0.
        bandwidth_bytes_per_s: β of that operation.

    Returns:
        The buckets in the order in which they are sent: one at a time, as soon as it is full and the link is free.

    Raises:
        ValueError: if ``buckets`` is no integer of at least 1, a time or size no finite number of at least 0, or the
            bandwidth none above 0.

    Example:
        >>> step = bucketed_step(total_bytes=8, buckets=2, compute_s=4, latency_s=1, bandwidth_bytes_per_s=2)
        >>> [(bucket.start_s, bucket.end_s) for bucket in step]
        [(2.0, 5.0), (5.0, 8.0)]
    """
    count = at_most("buckets", positive_integer("buckets", buckets))
    size = Fraction(nonnegative_number("total_bytes", total_bytes)) / count
    compute = Fraction(nonnegative_number("compute_s", compute_s))
    message_time_s(size_bytes=0, latency_s=latency_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)  # checks both
    busy = Fraction(latency_s) + size / Fraction(bandwidth_bytes_per_s)
    return _sent([compute * number / count for number in range(1, count + 1)], [busy] * count, _NAMES)


def sent_in_order(ready_s: Sequence[float], busy_s: Sequence[float]) -> tuple[Bucket, ...]:
    """Return what happens to buckets that one link sends in their order, one at a time.

    Args:
        ready_s: for each bucket the second at which it is full, at least 0.
        busy_s: for each bucket the seconds for which it keeps the link busy, such as a measured time, at least 0.

    Returns:
        The buckets: each starts as soon as it is full and the link is free.

    Raises:
        ValueError: if there is no bucket, the two are not of one length, or a time is no finite number of at least 0.

    Example:
        >>> [bucket.end_s for bucket in sent_in_order([2.0, 4.0, 9.0], [3.0, 3.0, 3.0])]
        [5.0, 8.0, 12.0]
    """
    ready, busy = each("ready_s", ready_s, nonnegative_number), each("busy_s", busy_s, nonnegative_number)
    if len(ready) != len(busy) or not ready:
        raise ValueError(
            f"ready_s and busy_s must be of one length of at least 1, got the lengths {len(ready)} and {len(busy)}"
        )
    return _sent([Fraction(time) for time in ready], [Fraction(time) for time in busy], "ready_s and busy_s")


def _sent(ready_s: Sequence[Fraction], busy_s: Sequence[Fraction], names: str) -> tuple[Bucket, ...]:
    """Advance the clock of a link, bucket by bucket."""
    free, result = Fraction(0), []
    for ready, busy in zip(ready_s, busy_s, strict=True):
        start = max(ready, free)
        free = start + busy
        result.append(Bucket(float(ready), float(start), as_float(names, free)))
    return tuple(result)
