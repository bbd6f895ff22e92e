"""Solutions of chapter 5's exercises."""

from __future__ import annotations

from collections.abc import Sequence


def fit_line(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    """Return α in seconds and β in bytes per second; the weights 1/T² make relative errors smallest."""
    weights = [1 / time**2 for time in times_s]

    def mean(values: Sequence[float]) -> float:
        return sum(w * value for w, value in zip(weights, values, strict=True)) / sum(weights)

    n, t = mean(sizes_bytes), mean(times_s)
    from_mean = [size - n for size in sizes_bytes]  # centred first: no difference of two large numbers
    above = mean([x * (time - t) for x, time in zip(from_mean, times_s, strict=True)])
    slope = above / mean([x * x for x in from_mean])
    return t - slope * n, 1 / slope


def step_end_s(
    layers: Sequence[tuple[float, float]], *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Fill a bucket layer by layer; send it when it is full, but not before the link is free."""
    free_s = held_bytes = 0.0
    for number, (ready_s, size_bytes) in enumerate(layers, start=1):
        held_bytes += size_bytes
        if held_bytes >= bucket_bytes or number == len(layers):
            free_s = max(free_s, ready_s) + latency_s + held_bytes / bandwidth_bytes_per_s
            held_bytes = 0.0
    return free_s


def latency_rules_below_bytes(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """A step waits α and moves n / (Nβ); both are alike at n = Nαβ."""
    return ranks * latency_s * bandwidth_bytes_per_s
