"""Exercise: a number of buckets, chosen from measured times, with which a step ends early."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation

NUMBER, END = "number of buckets, none of them smaller or larger than measured", "the step"
Points = Sequence[tuple[float, float]]


def choose_buckets(
    points: Sequence[tuple[float, float]],
    *,
    total_bytes: float,
    compute_s: float,
) -> int:
    """Choose a number of equal buckets with which a step ends early.

    Bucket j of k is full at j/k of the backward pass, and the link sends one
    bucket at a time. How long it takes was measured at some sizes; between two
    of them the time lies on the straight line from the one to the other.
    Outside of them nothing is known: total_bytes / k must lie within.

    Args:
        points: pairs of bytes and seconds, by ascending bytes, two or more; a
            larger size may take less time.
        total_bytes: bytes of all gradients.
        compute_s: duration C of the backward pass, 0 or more.

    Returns:
        k. The step must end at most 2% later than with the best k allowed.

    >>> choose_buckets(
    ...     [(1, 3.0), (2, 3.0), (4, 6.0)], total_bytes=8, compute_s=8.0
    ... )
    4
    """
    sizes = [size for size, _ in points]

    def sent_s(size: float) -> float:
        right = max(1, bisect_left(sizes, size))
        (n0, t0), (n1, t1) = points[right - 1], points[right]
        return t0 + (t1 - t0) * (size - n0) / (n1 - n0)

    def end_s(k: int) -> float:
        busy_s = sent_s(total_bytes / k)
        return max(compute_s + busy_s, compute_s / k + k * busy_s)

    fewest = math.ceil(total_bytes / sizes[-1])
    most = math.floor(total_bytes / sizes[0])
    return min(range(fewest, most + 1), key=end_s)


def simulated_end_s(points: Points, total_bytes: float, compute_s: float, k: int) -> float:
    """Advance the clock of the link from bucket to bucket; no closed form of the step is used."""
    size = total_bytes / k
    for (low, early_s), (high, late_s) in pairwise(points):
        if low <= size <= high:
            busy_s = ((high - size) * early_s + (size - low) * late_s) / (high - low)
            free_s = 0.0
            for number in range(1, k + 1):
                free_s = max(free_s, compute_s * number / k) + busy_s
            return free_s
    raise ValueError(f"no point is near buckets of {size:g} bytes")


def allowed(points: Points, total_bytes: float) -> range:
    return range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1)


@cache
def best(points: tuple[tuple[float, float], ...], total_bytes: float, compute_s: float) -> tuple[float, int]:
    """Run the step with every number of buckets that is allowed; return the earliest end and its number."""
    return min((simulated_end_s(points, total_bytes, compute_s, k), k) for k in allowed(points, total_bytes))


def observe(function: Callable[..., Any], *, points: Points, total_bytes: float, compute_s: float) -> Observation:
    """Run the step with the number of buckets chosen, and compare its end with the best: any that is near is right."""
    k = function(points=points, total_bytes=total_bytes, compute_s=compute_s)
    if k not in allowed(points, total_bytes):
        return {NUMBER: k}
    end_s = simulated_end_s(points, total_bytes, compute_s, int(k))
    in_time = wanted(points, total_bytes, compute_s)
    late = end_s > 1.02 * (1 + 1e-9) * best_of(points, total_bytes, compute_s)[0]
    return {**in_time, END: f"ends at {end_s:.6g} s with k = {k}"} if late else in_time


def best_of(points: Points, total_bytes: float, compute_s: float) -> tuple[float, int]:
    return best(tuple((size, time) for size, time in points), total_bytes, compute_s)


def wanted(points: Points, total_bytes: float, compute_s: float) -> Observation:
    numbers = allowed(points, total_bytes)
    end_s, k = best_of(points, total_bytes, compute_s)
    return {
        NUMBER: f"a whole number from {numbers[0]} to {numbers[-1]}",
        END: f"ends by {1.02 * end_s:.6g} s (with k = {k} at {end_s:.6g} s)",
    }


def step(points: list[tuple[float, float]], total_bytes: float, compute_s: float) -> Inputs:
    return {"points": points, "total_bytes": float(total_bytes), "compute_s": compute_s}


# What an all-reduce that changes its algorithm looks like: a fall after 16 MB, and a leap after 128.
KINKED = [(8e6, 3e-3), (16e6, 5.5e-3), (32e6, 4.6e-3), (64e6, 6.6e-3), (128e6, 10e-3), (256e6, 22e-3), (512e6, 40e-3)]


def on_the_line(points: Points, total_bytes: float, compute_s: float) -> int:
    """The best k for the straight line through the first and the last point."""
    slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
    level = points[0][1] - slope * points[0][0]

    def end_s(k: int) -> float:
        busy_s = level + slope * total_bytes / k
        return max(compute_s + busy_s, compute_s / k + k * busy_s)

    return min(allowed(points, total_bytes), key=end_s)


def fitted(power: int) -> Callable[[Points], tuple[float, float]]:
    """Return what fits a line to points with weights 1/T to a power, as its level and its slope."""

    def line(points: Points) -> tuple[float, float]:
        weights = [time**-power for _, time in points]
        n, t = (
            sum(w * point[axis] for w, point in zip(weights, points, strict=True)) / sum(weights) for axis in (0, 1)
        )
        slope = sum(w * (size - n) * (time - t) for w, (size, time) in zip(weights, points, strict=True))
        slope /= sum(w * (size - n) ** 2 for w, (size, _) in zip(weights, points, strict=True))
        return t - slope * n, slope

    return line


def best_on(line: Callable[[Points], tuple[float, float]]) -> Callable[..., int]:
    """Return what chooses the best k for one straight line through all points."""

    def choose(points: Points, total_bytes: float, compute_s: float) -> int:
        level, slope = line(points)

        def end_s(k: int) -> float:
            return closed_end_s(compute_s, k, level + slope * total_bytes / k)

        return min(allowed(points, total_bytes), key=end_s)

    return choose


def near_the_best_on(line: Callable[[Points], tuple[float, float]]) -> Callable[..., bool]:
    """Return what says whether k ends the step within 2% of the best by one straight line through all points."""

    def accepts(chosen: int, *, points: Points, total_bytes: float, compute_s: float) -> bool:
        level, slope = line(points)
        numbers = allowed(points, total_bytes)
        ends = {k: closed_end_s(compute_s, k, level + slope * total_bytes / k) for k in numbers}
        return chosen in ends and ends[chosen] <= 1.02 * (1 + 1e-9) * min(ends.values())

    return accepts


def by_the_root(points: Points, total_bytes: float, compute_s: float) -> int:
    """√(C/α), with the shortest measured time for α."""
    k = round(math.sqrt(compute_s / points[0][1]))
    return min(max(k, allowed(points, total_bytes)[0]), allowed(points, total_bytes)[-1])


def never_falling(points: Points, total_bytes: float, compute_s: float) -> int:
    """The best k for points of which each takes at least as long as all before it."""
    raised = list(accumulate((time for _, time in points), max))
    return choose_buckets(
        [(size, time) for (size, _), time in zip(points, raised, strict=True)],
        total_bytes=total_bytes,
        compute_s=compute_s,
    )


# How the solution finds a time between two points.
LINE = "t0 + (t1 - t0) * (size - n0) / (n1 - n0)"


def straight(size: float, n0: float, t0: float, n1: float, t1: float) -> float:
    return t0 + (t1 - t0) * (size - n0) / (n1 - n0)


def closed_end_s(pass_s: float, k: int, busy_s: float) -> float:
    return max(pass_s + busy_s, pass_s / k + k * busy_s)


def by_rule(
    between: Callable[..., float] = straight,
    *,
    end_s: Callable[[float, int, float], float] = closed_end_s,
    ends_alone: bool = False,
) -> Callable[..., bool]:
    """Return what judges by other times between the points, or another end of the step: whether k is within 2%."""

    def accepts(chosen: int, *, points: Points, total_bytes: float, compute_s: float) -> bool:
        known = [points[0], points[-1]] if ends_alone else points
        ends = {}
        for k in allowed(points, total_bytes):
            size = total_bytes / k
            low, high = next(pair for pair in pairwise(known) if size <= pair[1][0] * (1 + 1e-12))
            ends[k] = end_s(compute_s, k, between(size, *low, *high))
        return chosen in ends and ends[chosen] <= 1.02 * (1 + 1e-9) * min(ends.values())

    return accepts


def taught() -> str:
    told = []
    for pass_ms in (30, 120):
        ends = {k: simulated_end_s(KINKED, 1.024e9, pass_ms / 1e3, k) for k in allowed(KINKED, 1.024e9)}
        k = choose_buckets(KINKED, total_bytes=1.024e9, compute_s=pass_ms / 1e3)
        passing = [number for number, end_s in ends.items() if end_s <= 1.02 * ends[k]]
        right = f"{passing[0]} to {passing[-1]} buckets are right; the best number, {k}, ends"
        if passing == [k]:
            right = f"only one number is right: {k} buckets end"
        told.append(f"With a pass of {pass_ms} ms {right} the step at {1e3 * ends[k]:.4g} ms")
    return f"{'. '.join(told)}. Behind a long pass the last bucket is what is seen, and it should be small."


def drawn(chance: Random) -> list[Inputs]:
    """Return links that were measured at sizes which double, with times that never fall."""
    found = []
    for _ in range(30):
        times = list(accumulate(chance.randint(1, 12) / 4 for _ in range(chance.randint(3, 5))))
        points = [(2.0**number, time) for number, time in enumerate(times)]
        found.append(step(points, chance.randint(8, 40), float(chance.choice((1, 3, 10, 30, 60, 100)))))
    return found


EXERCISE = Exercise(
    choose_buckets,
    number=4,
    asked="a number of buckets with which the step ends at most 2% later than with the best",
    expected=wanted,
    observe=observe,
    examples=[
        step([(1, 3.0), (2, 3.0), (4, 6.0)], 8, 8.0),
        # Times that fall: a running maximum, or sorted times, choose another number.
        step([(8, 3.0), (16, 5.4), (32, 10.8), (64, 7.56), (128, 7.56), (256, 15.12)], 512, 30.0),
        step([(8, 5.0), (16, 3.0), (32, 4.0), (64, 9.0)], 128, 40.0),
        step([(8, 5.0), (16, 3.0), (32, 4.0), (64, 9.0)], 128, 300.0),
        # No pass to hide behind, and a large bucket that is slow.
        step([(8, 3.0), (16, 10.0)], 16, 0.0),
        step([(1, 1.0), (8, 8.0)], 8, 8.0),
        step([(1, 4.0), (8, 6.0)], 8, 2.0),
        step([(1, 1.0), (4, 1.5), (8, 8.0)], 16, 40.0),
        step([(1, 2.0), (8, 4.0)], 16, 100.0),
        step([(1, 0.1), (4, 4.0)], 4, 1.0),
        step([(1, 0.1), (4, 4.0)], 4.5, 1.0),
        step([(1, 2.0), (100, 3.0)], 100, 3.0),
        step([(1, 0.5), (64, 8.0)], 64, 10.0),
        step([(1, 0.5), (100, 21.0)], 100, 30.0),
        step([(1, 0.01), (4, 10.0)], 301, 1.0),
        step([(1, 0.01), (1.25, 2.0)], 1001, 1.0),
        step(KINKED, 1.024e9, 0.03),
        step(KINKED, 1.024e9, 0.06),
        step(KINKED, 1.024e9, 0.12),
    ],
    inputs=[
        step(points, total, compute)
        for points in (
            [(1.0, 1.0), (2.0, 1.1), (4.0, 3.0), (8.0, 4.0)],
            [(1.0, 2.0), (4.0, 3.0), (16.0, 12.0)],
            [(1.0, 0.5), (2.0, 2.0), (8.0, 3.0), (16.0, 9.0)],
        )
        for total in (16.0, 40.0)
        for compute in (1.0, 10.0, 30.0, 100.0)
    ],
    taught=taught,
    drawn=drawn,
    mistakes=[
        Mistake(
            "forgets_the_wait_for_the_first",
            "The link can start only when the first bucket is full, at C/k; kb alone is not the end of a step.",
            {"compute_s / k + k * busy_s": "k * busy_s"},
            accepts=by_rule(end_s=lambda pass_s, k, busy_s: max(pass_s + busy_s, k * busy_s)),
        ),
        Mistake(
            "starts_early",
            "Of k equal buckets the first is full at C/k, not earlier: k of them fill in k equal times.",
            {"compute_s / k + k * busy_s": "compute_s / (k + 1) + k * busy_s"},
            accepts=by_rule(end_s=lambda pass_s, k, busy_s: max(pass_s + busy_s, pass_s / (k + 1) + k * busy_s)),
        ),
        Mistake(
            "forgets_the_pass",
            "The last bucket is full at C, so the step cannot end before C + b, however fast the link is.",
            {"max(compute_s + busy_s, compute_s / k + k * busy_s)": "compute_s / k + k * busy_s"},
            accepts=by_rule(end_s=lambda pass_s, k, busy_s: pass_s / k + k * busy_s),
        ),
        Mistake(
            "hides_the_link",
            "Where sending takes longer than filling, buckets queue up: the step then ends at C/k + kb, not at C + b.",
            {"max(compute_s + busy_s, compute_s / k + k * busy_s)": "compute_s + busy_s"},
            accepts=by_rule(end_s=lambda pass_s, k, busy_s: pass_s + busy_s),
        ),
        Mistake(
            "trusts_one_line",
            "One straight line misses the points between its ends, and with them the best size; use the points.",
            on_the_line,
            accepts=by_rule(ends_alone=True),
        ),
        Mistake(
            "fits_a_line",
            "A line fitted to the points with weights 1/T² isn't where they are; take each time from its neighbours.",
            best_on(fitted(2)),
            accepts=near_the_best_on(fitted(2)),
        ),
        Mistake(
            "fits_a_line_with_equal_weights",
            "A line fitted to the points with equal weights isn't where they are; take each time from its neighbours.",
            best_on(fitted(0)),
            accepts=near_the_best_on(fitted(0)),
        ),
        Mistake(
            "lets_no_time_fall",
            "A larger size may take less time than a smaller one: take the points as they are.",
            never_falling,
        ),
        Mistake(
            "takes_the_most",
            "This is always the largest number allowed. Each bucket more costs a latency, which these points contain.",
            lambda points, total_bytes, **_: allowed(points, total_bytes)[-1],
        ),
        Mistake(
            "takes_the_fewest",
            "This is always the smallest number allowed, and the link starts only when its first bucket is full.",
            lambda points, total_bytes, **_: allowed(points, total_bytes)[0],
        ),
        Mistake(
            "adds_all_up",
            "The link sends while the pass still runs: the step ends before C + kb.",
            {"max(compute_s + busy_s, compute_s / k + k * busy_s)": "compute_s + k * busy_s"},
            accepts=by_rule(end_s=lambda pass_s, k, busy_s: pass_s + k * busy_s),
        ),
        Mistake(
            "interpolates_logarithms",
            "Between two points the time itself lies on a straight line over the bytes, not its logarithm on one over "
            "the logarithm of the bytes.",
            {LINE: "t0 * (t1 / t0) ** (math.log(size / n0) / math.log(n1 / n0))"},
            accepts=by_rule(lambda size, n0, t0, n1, t1: t0 * (t1 / t0) ** (math.log(size / n0) / math.log(n1 / n0))),
        ),
        Mistake(
            "interpolates_over_the_logarithm",
            "Between two points the time lies on a straight line over the bytes, not over their logarithm.",
            {LINE: "t0 + (t1 - t0) * math.log(size / n0) / math.log(n1 / n0)"},
            accepts=by_rule(lambda size, n0, t0, n1, t1: t0 + (t1 - t0) * math.log(size / n0) / math.log(n1 / n0)),
        ),
        Mistake(
            "interpolates_bandwidths",
            "Between two points the seconds lie on a straight line, not the bytes per second.",
            {LINE: "size / (n0 / t0 + (n1 / t1 - n0 / t0) * (size - n0) / (n1 - n0))"},
            accepts=by_rule(
                lambda size, n0, t0, n1, t1: size / (n0 / t0 + (n1 / t1 - n0 / t0) * (size - n0) / (n1 - n0))
            ),
        ),
        Mistake(
            "takes_the_root",
            "√(C/α) is best for one straight line and a link that is the bottleneck; these points are no such line.",
            by_the_root,
        ),
        Mistake(
            "is_always_four",
            "This is right for one input only: it does not look at the points.",
            lambda points, **_: 4,
        ),
    ],
)
