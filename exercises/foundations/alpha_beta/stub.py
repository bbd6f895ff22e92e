"""Exercises of chapter 5: a link's two numbers from measured times, buckets of unequal layers, a ring's latency."""

from __future__ import annotations

from collections.abc import Sequence


def fit_line(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    """Fit T = α + n/β to measured times, so that the sum of squared relative errors is smallest: weights 1/T².

    Args:
        sizes_bytes: sizes n of the messages, at least two of them different.
        times_s: their times T in seconds, as many, above 0.

    Returns:
        α in seconds and β in bytes per second.
    """
    raise NotImplementedError("fit_line is still to be written")


def step_end_s(
    layers: Sequence[tuple[float, float]], *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Return when the last bucket of a step has been sent.

    Layers join the bucket in the order in which they come, each whole. A bucket is sent as soon as it holds
    ``bucket_bytes`` or more, or no layer is left. The link sends one bucket at a time and takes α + n/β for n bytes.

    Args:
        layers: for each layer the second at which its gradient is ready and its bytes; the seconds do not fall.
        bucket_bytes: bytes at which a bucket is sent, above 0.
        latency_s: α of the operation that sends a bucket.
        bandwidth_bytes_per_s: β of that operation.

    Returns:
        Seconds from the start of the backward pass; 0 without layers.
    """
    raise NotImplementedError("step_end_s is still to be written")


def latency_rules_below_bytes(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return the size below which more than half of a ring all-reduce's time is latency.

    Args:
        ranks: number of ranks N, at least 2; the vector is cut into N equal parts.
        latency_s: α of a message.
        bandwidth_bytes_per_s: β of a link, per direction.

    Returns:
        Bytes of the whole vector, n.
    """
    raise NotImplementedError("latency_rules_below_bytes is still to be written")
