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

    layer = st.tuples(st.sampled_from([0, 0, 1, 2, 5, 12]), st.integers(1, 8))
    return st.fixed_dictionaries(
        {
            "layers": st.lists(layer, min_size=1, max_size=8).map(ready),
            "bucket_bytes": st.sampled_from([1.0, 2.0, 4.0, 5.0, 7.0, 8.0, 12.0, 16.0]),
            "latency_s": st.sampled_from([0.0, 0.7, 1.0, 2.0, 4.5]),
            "bandwidth_bytes_per_s": st.sampled_from([0.6, 1.0, 2.0, 3.0]),
        }
    )


def step(
    layers: list[tuple[float, float]], bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> Inputs:
    return {
        "layers": layers,
        "bucket_bytes": float(bucket_bytes),
        "latency_s": float(latency_s),
        "bandwidth_bytes_per_s": float(bandwidth_bytes_per_s),
    }


# The exercise's own: 24 layers of 50 MB, and the embedding.
OWN = [*((2e-3 * layer, 50e6) for layer in range(1, 25)), (0.048, 1e9)]


def from_both_ends(
    layers: Sequence[tuple[float, float]], bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """The later of: the last bucket alone after the last layer, and all buckets one after the other after the first."""
    buckets: list[tuple[float, float]] = []
    held_bytes = 0.0
    for number, (ready_s, size_bytes) in enumerate(layers, start=1):
        held_bytes += size_bytes
        if held_bytes >= bucket_bytes or number == len(layers):
            buckets.append((ready_s, latency_s + held_bytes / bandwidth_bytes_per_s))
            held_bytes = 0.0
    if not buckets:
        return 0.0
    return max(buckets[-1][0] + buckets[-1][1], buckets[0][0] + sum(busy_s for _, busy_s in buckets))


def closed_before_overflow(
    layers: Sequence[tuple[float, float]], bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Send a bucket that the next layer would overfill as soon as its own layers are ready."""
    buckets: list[tuple[float, float]] = []
    held_bytes = full_s = 0.0
    for ready_s, size_bytes in layers:
        if held_bytes and held_bytes + size_bytes > bucket_bytes:
            buckets.append((full_s, held_bytes))
            held_bytes = 0.0
        held_bytes, full_s = held_bytes + size_bytes, ready_s
    if held_bytes:
        buckets.append((full_s, held_bytes))
    free_s = 0.0
    for full_s, size_bytes in buckets:
        free_s = max(free_s, full_s) + latency_s + size_bytes / bandwidth_bytes_per_s
    return free_s


def taught() -> str:
    link = {"latency_s": 1e-3, "bandwidth_bytes_per_s": 25e9}
    ends = {layers: step_end_s(OWN, bucket_bytes=50e6 * layers, **link) for layers in range(1, 50)}
    best = [layers for layers, end_s in ends.items() if end_s <= min(ends.values()) + 1e-9]
    first_ms, bytes_ms = 1e3 * OWN[0][0], 1e3 * sum(size for _, size in OWN) / link["bandwidth_bytes_per_s"]
    floor_ms = first_ms + bytes_ms + 2 * 1e3 * link["latency_s"]
    return (
        f"Buckets of {best[0]} to {best[-1]} layers end the step at {1e3 * min(ends.values()):.0f} ms, single layers "
        f"at {1e3 * ends[1]:.0f}, one bucket for all at {1e3 * ends[49]:.0f}. No size can go below {floor_ms:.0f} ms: "
        f"nothing leaves before {first_ms:.0f} ms, the bytes take {bytes_ms:.0f}, and there are at least two buckets."
    )


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
        step([(0, 1), (0, 1)], 4, 1, 1),
        step([(0, 1), (10, 10), (11, 1)], 1, 0, 1),
        step([(0, 999), (5, 1)], 1000, 1, 600),
        step([(1e-3, 4e6), (2.5e-3, 4e6), (3e-3, 7e6)], 8e6, 5e-6, 30e9),
        step(OWN, 50e6, 1e-3, 25e9),
        step(OWN, 200e6, 1e-3, 25e9),
    ],
    inputs=backward_passes,
    units={"result": "s"},
    taught=taught,
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
            "looks_at_both_ends",
            "The link can rest in the middle too: a bucket between the first and the last may be late and long.",
            from_both_ends,
        ),
        Mistake(
            "last_by_its_value",
            "A layer with the numbers of the last one need not be the last: go by its place.",
            {"number == len(layers)": "(ready_s, size_bytes) == layers[-1]"},
        ),
        Mistake(
            "first_alone_pays_latency",
            "Your first bucket pays α and the others do not; the operation starts anew for each of them.",
            {"start_s + latency_s +": "start_s + (0 if free_s else latency_s) +"},
        ),
        Mistake(
            "latency_beside_the_bytes",
            "This ends one α later than it would without any latency. But each bucket keeps the link for α + n/β: no α "
            "passes while the bytes of another bucket travel.",
            {"start_s + latency_s +": "start_s +", "return free_s": "return free_s + (latency_s if layers else 0)"},
        ),
        Mistake(
            "sends_only_above",
            "A bucket that holds exactly bucket_bytes is sent: not only one that holds more.",
            {"held_bytes >= bucket_bytes": "held_bytes > bucket_bytes"},
        ),
        Mistake(
            "closes_before_it_overflows",
            "This bucket closes before a layer that would overfill it; the layer joins it first, and then it leaves.",
            closed_before_overflow,
        ),
        Mistake(
            "sends_every_layer",
            "These layers are sent one by one; they share buckets.",
            {"if held_bytes >= bucket_bytes or is_last": "if True"},
        ),
    ],
)
