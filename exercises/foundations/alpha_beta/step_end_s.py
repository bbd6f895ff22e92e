"""Exercise: the second at which the last bucket of a step has been sent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake


def step_end_s(
    layers: Sequence[tuple[float, float]],
    *,
    bucket_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
) -> float:
    """Return when the last bucket of a step has been sent.

    Layers join the bucket in the order in which they come, each whole. A bucket
    is sent as soon as it holds ``bucket_bytes`` or more, or no layer is left.
    The link sends one bucket at a time and takes α + n/β for n bytes.

    Args:
        layers: for each layer the second at which its gradient is ready and its
            bytes; the seconds do not fall.
        bucket_bytes: bytes at which a bucket is sent, above 0.
        latency_s: α of the operation that sends a bucket.
        bandwidth_bytes_per_s: β of that operation.

    Returns:
        Seconds from the start of the backward pass; 0 without layers.

    >>> step_end_s(
    ...     [(0, 2), (0, 2), (0, 1)],
    ...     bucket_bytes=4, latency_s=1, bandwidth_bytes_per_s=1,
    ... )
    7.0
    """
    free_s = held_bytes = 0.0
    for number, (ready_s, size_bytes) in enumerate(layers, start=1):
        held_bytes += size_bytes
        is_last = number == len(layers)
        if held_bytes >= bucket_bytes or is_last:
            start_s = max(free_s, ready_s)
            free_s = start_s + latency_s + held_bytes / bandwidth_bytes_per_s
            held_bytes = 0.0
    return free_s


def longest_wait_s(
    layers: Sequence[tuple[float, float]], *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """The largest of: a bucket is full, and from there on the link never rests. No clock is advanced."""
    filled = list(accumulate((size for _, size in layers), initial=0.0))
    cuts = [0]
    for at in range(1, len(filled)):
        if filled[at] - filled[cuts[-1]] >= bucket_bytes or at == len(layers):
            cuts.append(at)
    ends = (
        layers[stop - 1][0]
        + (len(cuts) - first - 1) * latency_s
        + (filled[-1] - filled[cuts[first]]) / bandwidth_bytes_per_s
        for first, stop in enumerate(cuts[1:])
    )
    return max(ends, default=0.0)


def backward_passes(st: Any) -> Any:
    def ready(layers: list[tuple[int, int]]) -> list[tuple[int, int]]:
        seconds = accumulate(pause for pause, _ in layers)
        return list(zip(seconds, (size for _, size in layers), strict=True))

    return st.fixed_dictionaries(
        {
            "layers": st.lists(st.tuples(st.integers(0, 6), st.integers(1, 8)), min_size=1, max_size=6).map(ready),
            "bucket_bytes": st.integers(2, 16),
            "latency_s": st.integers(0, 4),
            "bandwidth_bytes_per_s": st.sampled_from([1, 2, 4]),
        }
    )


def step(layers: list[tuple[int, int]], bucket_bytes: int, latency_s: int, bandwidth_bytes_per_s: int) -> Inputs:
    return {
        "layers": layers,
        "bucket_bytes": bucket_bytes,
        "latency_s": latency_s,
        "bandwidth_bytes_per_s": bandwidth_bytes_per_s,
    }


def sent_before_overflow(
    layers: Any, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float, *, at_once: bool
) -> float:
    """Send a bucket that the next layer would overfill: when that layer is ready, or as soon as its own layers are."""
    buckets: list[tuple[float, float]] = []
    held_bytes = ready_s = full_s = 0.0
    for ready_s, size_bytes in layers:
        if held_bytes and held_bytes + size_bytes > bucket_bytes:
            buckets.append((full_s if at_once else ready_s, held_bytes))
            held_bytes = 0.0
        held_bytes, full_s = held_bytes + size_bytes, ready_s
    free_s = 0.0
    for full_s, size_bytes in [*buckets, *([(ready_s, held_bytes)] if held_bytes else [])]:
        free_s = max(free_s, full_s) + latency_s + size_bytes / bandwidth_bytes_per_s
    return free_s


EXERCISE = Exercise(
    step_end_s,
    number=5,
    level="hard",
    asked="the second at which the last bucket has been sent",
    expected=longest_wait_s,
    examples=[
        step([(0, 2), (0, 2), (0, 1)], 4, 1, 1),
        step([(1, 2)], 2, 1, 1),
        step([(2, 4), (3, 4), (9, 4)], 4, 1, 2),
        step([(1, 1), (3, 2), (6, 3)], 4, 1, 1),
        step([], 2, 1, 1),
        step([(1, 3), (2, 3), (7, 3)], 5, 2, 1),
    ],
    inputs=backward_passes,
    units={"result": "s"},
    mistakes=[
        Mistake("forgets_the_last_bucket", "The last bucket is sent too, full or not.", {" or is_last": ""}),
        Mistake(
            "lets_buckets_overlap",
            "A bucket waits until the link has sent the one before it.",
            {
                "max(free_s, ready_s)": "ready_s",
                "free_s = start_s + latency_s + held_bytes / bandwidth_bytes_per_s": "free_s = max(free_s, start_s + "
                "latency_s + held_bytes / bandwidth_bytes_per_s)",
            },
        ),
        Mistake(
            "waits_for_the_whole_pass",
            "A bucket leaves as soon as it is full; it does not wait for the end of the backward pass.",
            {"max(free_s, ready_s)": "max(free_s, layers[-1][0])"},
        ),
        Mistake(
            "never_waits_for_a_layer",
            "A bucket cannot leave before its last layer is ready.",
            {"max(free_s, ready_s)": "max(free_s, layers[0][0])"},
        ),
        Mistake(
            "pays_latency_once",
            "Every bucket pays the latency α.",
            {"start_s + latency_s +": "start_s +", "return free_s": "return free_s + (latency_s if layers else 0)"},
        ),
        Mistake(
            "sends_only_above",
            "A bucket that holds exactly bucket_bytes is sent: not only one that holds more.",
            {"held_bytes >= bucket_bytes": "held_bytes > bucket_bytes"},
        ),
        Mistake(
            "sends_before_it_overflows",
            "A layer joins the bucket first; the bucket may then hold more than bucket_bytes.",
            lambda layers, **link: sent_before_overflow(layers, **link, at_once=False),
        ),
        Mistake(
            "closes_before_it_overflows",
            "This bucket closes before a layer that would overfill it; the layer joins it first, and then it leaves.",
            lambda layers, **link: sent_before_overflow(layers, **link, at_once=True),
        ),
        Mistake(
            "sends_every_layer",
            "These layers are sent one by one; they share buckets.",
            {"if held_bytes >= bucket_bytes or is_last": "if True"},
        ),
        Mistake(
            "takes_bits",
            "These are bytes and bytes per second: nothing is to be multiplied by 8.",
            {"held_bytes / bandwidth": "8 * held_bytes / bandwidth"},
        ),
        Mistake(
            "always_ends_at_four",
            "This is right for one input only: it does not look at the layers.",
            lambda layers, **_: 4.0,
        ),
    ],
)
