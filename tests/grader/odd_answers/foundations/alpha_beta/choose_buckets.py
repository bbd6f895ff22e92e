# %% a_hundred_at_most
# Wrong: it tries no more than 100 buckets. It passed once.

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * (n - n0) / (n1 - n0)
        raise ValueError(n)

    best = None
    for k in range(
        math.ceil(total_bytes / points[-1][0]),
        math.floor(total_bytes / max(points[0][0], min(points[-1][0], total_bytes / 100))) + 1,
    ):
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / k + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1]


# %% a_whole_float
# Right: the most buckets within the 2%, as a float.
def sent(points, size):
    for (low, early), (high, late) in zip(points, points[1:]):
        if low <= size <= high:
            return early + (late - early) * (size - low) / (high - low)


def choose_buckets(points, *, total_bytes, compute_s):
    ends = {}
    for k in range(1, int(total_bytes // points[0][0]) + 1):
        if total_bytes / k <= points[-1][0]:
            busy = sent(points, total_bytes / k)
            ends[k] = max(compute_s + busy, compute_s / k + k * busy)
    return float(max(k for k in ends if ends[k] <= 1.0199 * min(ends.values())))


# %% bandwidths
# Wrong: between two points it takes a straight line of the bandwidths.
# Known mistake: Between two points the seconds lie on a straight line, not the bytes per second.

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return n / (n0 / t0 + (n1 / t1 - n0 / t0) * (n - n0) / (n1 - n0))
        raise ValueError(n)

    best = None
    for k in range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1):
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / k + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1]


# %% even_numbers
# Wrong: above 8 it tries even numbers alone. It passed once.

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * (n - n0) / (n1 - n0)
        raise ValueError(n)

    best = None
    for k in range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1):
        if k > 8 and k % 2:
            continue
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / k + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1]


# %% from_the_largest_bucket_on
# Right: another choice within the 2%, the fewest buckets that are; the link's clock is advanced.
def sent(points, size):
    for (low, early), (high, late) in zip(points, points[1:]):
        if low <= size <= high:
            return early + (late - early) * (size - low) / (high - low)


def end(points, total, compute, k):
    free = 0
    for bucket in range(k):
        free = max(free, compute * (bucket + 1) / k) + sent(points, total / k)
    return free


def choose_buckets(points, total_bytes, compute_s):
    allowed = range(-(-total_bytes // points[-1][0]).__int__(), int(total_bytes // points[0][0]) + 1)
    ends = {k: end(points, total_bytes, compute_s, k) for k in allowed}
    return next(k for k in ends if ends[k] <= 1.0199 * min(ends.values()))


# %% logarithms
# Wrong: between two points it takes a straight line of the logarithms.
# Known mistake: Between two points the time itself lies on a straight line over the bytes, not its logarithm on one over the logarithm of the bytes.

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 * (t1 / t0) ** (math.log(n / n0) / math.log(n1 / n0))
        raise ValueError(n)

    best = None
    for k in range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1):
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / k + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1]


# %% over_the_logarithm
# Wrong: between two points it takes a straight line over the logarithm of the bytes.
# Known mistake: Between two points the time lies on a straight line over the bytes, not over their logarithm.

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * math.log(n / n0) / math.log(n1 / n0)
        raise ValueError(n)

    best = None
    for k in range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1):
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / k + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1]


# %% starts_early
# Wrong: the first bucket is full at C/(k + 1).
# Known mistake: Of k equal buckets the first is full at C/k, not earlier: k of them fill in k equal times.

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * (n - n0) / (n1 - n0)
        raise ValueError(n)

    best = None
    for k in range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1):
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / (k + 1) + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1]


# %% two_hundred_at_most
# Wrong: it tries no more than 200 buckets. It passed once.

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * (n - n0) / (n1 - n0)
        raise ValueError(n)

    best = None
    for k in range(
        math.ceil(total_bytes / points[-1][0]),
        math.floor(total_bytes / min(points[-1][0], max(points[0][0], total_bytes / 200))) + 1,
    ):
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / k + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1]


# %% another_design
# Right: the most buckets within 1.5%, not the best number.
import math


def choose_buckets(points, *, total_bytes, compute_s):
    def link_s(size):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= size <= n1:
                part = (size - n0) / (n1 - n0)
                return (1 - part) * t0 + part * t1

    ends = {}
    for k in range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1):
        busy = link_s(total_bytes / k)
        ends[k] = max(compute_s / k + k * busy, compute_s + busy)
    least = min(ends.values())
    return max(k for k in ends if ends[k] <= 1.015 * least)


# %% times_forced_to_rise
# Wrong: it sorts the times, as if a larger message couldn't be faster. It passed once.
# Known mistake: A larger size may take less time than a smaller one: take the points as they are.
import math


def choose_buckets(points, *, total_bytes, compute_s):
    ns = [n for n, _ in points]
    ts = []
    for _, t in points:
        ts.append(max([t, *ts]))

    def b(n):
        for n0, n1, t0, t1 in zip(ns, ns[1:], ts, ts[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * (n - n0) / (n1 - n0)

    def end(k):
        return max(compute_s + b(total_bytes / k), compute_s / k + k * b(total_bytes / k))

    return min(range(math.ceil(total_bytes / ns[-1]), math.floor(total_bytes / ns[0]) + 1), key=end)


# %% always_the_most
# Wrong: it was told once that it hides the link.
# Known mistake: This is always the largest number allowed. Each bucket more costs a latency, which these points contain.


def choose_buckets(points, *, total_bytes, compute_s):
    return int(total_bytes // points[0][0])


# %% by_a_fitted_line
# Wrong: the chapter's own fit, where the points aren't on a line. It was told nothing once.
# Known mistake: A line fitted to the points with weights 1/T² isn't where they are; take each time from its neighbours.
import math

import numpy as np


def choose_buckets(points, *, total_bytes, compute_s):
    n, t = np.array(points, dtype=float).T
    z, a = np.polyfit(n, t, 1, w=1 / t)

    def end(k):
        b = a + z * total_bytes / k
        return max(compute_s + b, compute_s / k + k * b)

    return min(range(math.ceil(total_bytes / n[-1]), math.floor(total_bytes / n[0]) + 1), key=end)


# %% one_without_a_pass
# Wrong: without a pass it takes one bucket. It passed once.
import math


def choose_buckets(points, *, total_bytes, compute_s):
    if compute_s <= 0:
        return max(1, math.ceil(total_bytes / points[-1][0]))

    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * (n - n0) / (n1 - n0)

    def end(k):
        return max(compute_s + b(total_bytes / k), compute_s / k + k * b(total_bytes / k))

    return min(range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1), key=end)
