"""Typical wrong answers to chapter 5's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

from collections.abc import Sequence

from exercises.grading import mutant

Layers = Sequence[tuple[float, float]]


def weighted_line(sizes: Sequence[float], times: Sequence[float], power: int) -> tuple[float, float]:
    """Level and slope with the weights 1/T to a power."""
    weights = [time**-power for time in times]

    def mean(values: Sequence[float]) -> float:
        return sum(w * value for w, value in zip(weights, values, strict=True)) / sum(weights)

    n, t = mean(sizes), mean(times)
    from_mean = [size - n for size in sizes]
    slope = mean([x * (time - t) for x, time in zip(from_mean, times, strict=True)]) / mean([x * x for x in from_mean])
    return t - slope * n, slope


@mutant("fit_line", says="These weights are all equal: the largest messages decide, and α is lost. Take 1/T².")
def weighs_all_alike(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    latency, slope = weighted_line(sizes_bytes, times_s, 0)
    return latency, 1 / slope


@mutant("fit_line", says="The weights are 1/T; a squared relative error is divided by T².")
def weighs_by_one_over_time(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    latency, slope = weighted_line(sizes_bytes, times_s, 1)
    return latency, 1 / slope


@mutant("fit_line", says="The second number is the slope, in seconds per byte; β is its inverse.")
def returns_the_slope(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    return weighted_line(sizes_bytes, times_s, 2)


@mutant("fit_line", says="These are bits per second; β is in bytes per second.")
def fits_bits_per_second(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    latency, slope = weighted_line(sizes_bytes, times_s, 2)
    return latency, 8 / slope


@mutant("fit_line", says="The order is α, then β.")
def swaps_the_two(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    latency, slope = weighted_line(sizes_bytes, times_s, 2)
    return 1 / slope, latency


@mutant("fit_line", says="This is the line through the first and the last point; the others count too.")
def uses_two_points(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    slope = (times_s[-1] - times_s[0]) / (sizes_bytes[-1] - sizes_bytes[0])
    return times_s[0] - slope * sizes_bytes[0], 1 / slope


@mutant("fit_line", says="The largest message's size over its time still holds α: it is below β.")
def divides_the_largest(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    return times_s[0], sizes_bytes[-1] / times_s[-1]


@mutant("fit_line", says="This is right for one input only: it does not look at the times.")
def is_always_one_link(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    return 1e-6, 1e9


def buckets_of(layers: Layers, bucket_bytes: float) -> list[tuple[float, float]]:
    """When each bucket is full, and its bytes."""
    found, held = [], 0.0
    for number, (ready_s, size_bytes) in enumerate(layers, start=1):
        held += size_bytes
        if held >= bucket_bytes or number == len(layers):
            found.append((ready_s, held))
            held = 0.0
    return found


def sent_s(buckets: Layers, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    free_s = 0.0
    for ready_s, size_bytes in buckets:
        free_s = max(free_s, ready_s) + latency_s + size_bytes / bandwidth_bytes_per_s
    return free_s


@mutant("step_end_s", says="The last bucket is sent too, full or not.")
def forgets_the_last_bucket(
    layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    full = [bucket for bucket in buckets_of(layers, bucket_bytes) if bucket[1] >= bucket_bytes]
    return sent_s(full, latency_s, bandwidth_bytes_per_s)


@mutant("step_end_s", says="A bucket waits until the link has sent the one before it.")
def lets_buckets_overlap(
    layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    ends = [ready + latency_s + size / bandwidth_bytes_per_s for ready, size in buckets_of(layers, bucket_bytes)]
    return max(ends, default=0.0)


@mutant("step_end_s", says="A bucket leaves as soon as it is full; it does not wait for the end of the backward pass.")
def waits_for_the_whole_pass(
    layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    late = [(layers[-1][0], size) for _, size in buckets_of(layers, bucket_bytes)]
    return sent_s(late, latency_s, bandwidth_bytes_per_s)


@mutant("step_end_s", says="A bucket cannot leave before its last layer is ready.")
def never_waits_for_a_layer(
    layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    early = [(layers[0][0], size) for _, size in buckets_of(layers, bucket_bytes)]
    return sent_s(early, latency_s, bandwidth_bytes_per_s)


@mutant("step_end_s", says="Every bucket pays the latency α.")
def pays_latency_once(layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    end_s = sent_s(buckets_of(layers, bucket_bytes), 0, bandwidth_bytes_per_s)
    return end_s + latency_s if layers else 0.0


@mutant("step_end_s", says="A bucket that holds exactly bucket_bytes is sent: not only one that holds more.")
def sends_only_above(layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    more = bucket_bytes + 0.5  # layers have whole bytes
    return sent_s(buckets_of(layers, more), latency_s, bandwidth_bytes_per_s)


@mutant("step_end_s", says="A layer joins the bucket first; the bucket may then hold more than bucket_bytes.")
def sends_before_it_overflows(
    layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    found: list[tuple[float, float]] = []
    held_bytes = ready_s = 0.0
    for ready_s, size_bytes in layers:
        if held_bytes and held_bytes + size_bytes > bucket_bytes:
            found.append((ready_s, held_bytes))
            held_bytes = 0.0
        held_bytes += size_bytes
    if held_bytes:
        found.append((ready_s, held_bytes))
    return sent_s(found, latency_s, bandwidth_bytes_per_s)


@mutant("step_end_s", says="These layers are sent one by one; they share buckets.")
def sends_every_layer(layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return sent_s(layers, latency_s, bandwidth_bytes_per_s)


@mutant("step_end_s", says="This is right for one input only: it does not look at the layers.")
def always_ends_at_four(
    layers: Layers, *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    return 4.0


@mutant("latency_rules_below_bytes", says="This is one message's size; a ring cuts the vector into N of them.")
def forgets_the_cut(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return latency_s * bandwidth_bytes_per_s


@mutant("latency_rules_below_bytes", says="The number of steps cancels: every step both waits and moves.")
def counts_the_steps_waits_only(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return 2 * (ranks - 1) * latency_s * bandwidth_bytes_per_s


@mutant("latency_rules_below_bytes", says="The vector has N parts, not N − 1.")
def cuts_into_one_part_less(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return (ranks - 1) * latency_s * bandwidth_bytes_per_s


@mutant("latency_rules_below_bytes", says="These are bits.")
def counts_bits_of_the_ring(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return 8 * ranks * latency_s * bandwidth_bytes_per_s


@mutant("latency_rules_below_bytes", says="Seconds over bytes per second are no bytes: multiply α by β.")
def divides_by_the_bandwidth(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return ranks * latency_s / bandwidth_bytes_per_s


@mutant("latency_rules_below_bytes", says="A step's message is n/N, so n is N times αβ, not a part of it.")
def divides_by_the_ranks(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return latency_s * bandwidth_bytes_per_s / ranks


@mutant("latency_rules_below_bytes", says="This is right for one input only: it does not look at the link.")
def is_always_two_kilobytes(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    return 2000.0
