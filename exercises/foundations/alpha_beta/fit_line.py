"""Exercise: α and β of a link from measured times."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, parts


def fit_line(
    sizes_bytes: Sequence[float],
    times_s: Sequence[float],
) -> tuple[float, float]:
    """Fit T = α + n/β to measured times.

    The sum of squared relative errors is to be smallest: the weights are 1/T².

    Args:
        sizes_bytes: sizes n of the messages, in any order, at least two of them
            different.
        times_s: their times T in seconds, as many, above 0.

    Returns:
        α in seconds and β in bytes per second.

    >>> alpha_s, beta = fit_line([0.0, 1000.0], [1e-6, 2e-6])
    >>> print(f"{alpha_s:.1e} s, {beta:.1e} bytes/s")
    1.0e-06 s, 1.0e+09 bytes/s
    """
    weights = [time**-2 for time in times_s]

    def mean(values: Sequence[float]) -> float:
        pairs = zip(weights, values, strict=True)
        return sum(w * value for w, value in pairs) / sum(weights)

    n, t = mean(sizes_bytes), mean(times_s)
    # Centred first, so that no difference of two large numbers is taken.
    from_mean = [size - n for size in sizes_bytes]
    pairs = zip(from_mean, times_s, strict=True)
    slope = mean([x * (time - t) for x, time in pairs])
    slope /= mean([x * x for x in from_mean])
    return t - slope * n, 1 / slope


def least_relative_errors(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> Observation:
    """Divide each equation α + s·n = T by T, and solve the normal equations by Cramer's rule in exact fractions."""
    rows = [
        (1 / Fraction(time), Fraction(size) / Fraction(time)) for size, time in zip(sizes_bytes, times_s, strict=True)
    ]
    aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(row[i] for row in rows) for i in (0, 1))
    whole = aa * bb - ab * ab
    return {"latency": float((a * bb - b * ab) / whole), "bandwidth": float(whole / (aa * b - ab * a))}


def measured_links(st: Any) -> Any:
    """Return measurements of links whose times are up to a tenth off."""

    def times(link: tuple[int, int, list[int], list[int]]) -> Inputs:
        latency_us, gb_per_s, sizes, off = link
        ideal = [latency_us * 1e-6 + size / (gb_per_s * 1e9) for size in sizes]
        return {
            "sizes_bytes": [float(size) for size in sizes],
            "times_s": [time * (1 + percent / 100) for time, percent in zip(ideal, off, strict=True)],
        }

    def links(count: int) -> Any:
        sizes = st.just([*(16**power * 1024 for power in range(count)), 10**9])
        off = st.lists(st.integers(-10, 10), min_size=count + 1, max_size=count + 1)
        return st.tuples(st.integers(1, 20), st.integers(1, 50), sizes, off)

    return st.integers(2, 5).flatmap(links).map(times)


def through_two_points(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    slope = (times_s[-1] - times_s[0]) / (sizes_bytes[-1] - sizes_bytes[0])
    return times_s[0] - slope * sizes_bytes[0], 1 / slope


def last_of_a_size(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    known = dict(zip(sizes_bytes, times_s, strict=True))
    return fit_line(list(known), list(known.values()))


def sizes_sorted_alone(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> tuple[float, float]:
    return fit_line(sorted(sizes_bytes), times_s)


def taught() -> str:
    alpha_s, beta = fit_line(**EXERCISE.examples[-1])
    return (
        f"α is {1e6 * alpha_s:.1f} µs and β {beta / 1e9:.1f} GB/s, so n½ = αβ is {alpha_s * beta / 1e3:.0f} kB: of a "
        "smaller message's time more than half is latency."
    )


EXERCISE = Exercise(
    fit_line,
    number=3,
    asked="α and β of the line through the times, with weights 1/T²",
    expected=least_relative_errors,
    observe=parts("latency", "bandwidth"),
    examples=[
        {"sizes_bytes": [0.0, 1000.0], "times_s": [1e-6, 2e-6]},
        {"sizes_bytes": [0.0, 1000.0, 4000.0], "times_s": [2e-6, 4e-6, 8e-6]},
        {"sizes_bytes": [0.0, 1.0, 3.0], "times_s": [1.0, 1.4, 2.2]},
        # α below zero, a size that comes twice, an order that isn't that of the sizes, times below a microsecond.
        {"sizes_bytes": [1000.0, 2000.0, 4000.0], "times_s": [1e-6, 3e-6, 6e-6]},
        {"sizes_bytes": [0.0, 0.0, 1000.0, 1000.0, 4000.0], "times_s": [2e-6, 3e-6, 4e-6, 6e-6, 8e-6]},
        {"sizes_bytes": [4000.0, 0.0, 1000.0], "times_s": [8e-6, 2e-6, 5e-6]},
        {"sizes_bytes": [0.0, 100.0, 1000.0], "times_s": [2e-7, 3e-7, 8e-7]},
        {
            "sizes_bytes": [1000.0 * number for number in range(16)],
            "times_s": [1e-6 * (5 + number + number % 3) for number in range(16)],
        },
        {"sizes_bytes": [64.0, 4e3, 64e3, 1e6, 10e6], "times_s": [12.1e-6, 12.4e-6, 14.7e-6, 46e-6, 460e-6]},
    ],
    inputs=measured_links,
    units={"latency": "s", "bandwidth": "bytes/s"},
    relative_tolerance=1e-8,
    taught=taught,
    mistakes=[
        Mistake(
            "weighs_all_alike",
            "These weights are all equal: the largest messages decide, and α is lost. Take 1/T².",
            {"time**-2": "1.0"},
        ),
        Mistake(
            "weighs_by_one_over_time",
            "The weights are 1/T; a squared relative error is divided by T².",
            {"time**-2": "time**-1"},
        ),
        Mistake(
            "squares_the_weights",
            "The weights are 1/T⁴ instead of 1/T². If you use numpy.polyfit: it squares the w that it is given, so "
            "give it 1/T.",
            {"time**-2": "time**-4"},
        ),
        Mistake(
            "returns_the_slope",
            "The second number is the slope, in seconds per byte; β is its inverse.",
            {"1 / slope": "slope"},
        ),
        Mistake(
            "fits_bits_per_second", "These are bits per second; β is in bytes per second.", {"1 / slope": "8 / slope"}
        ),
        Mistake("gives_gigabytes", "β is in GB/s; asked are bytes per second.", {"1 / slope": "1e-9 / slope"}),
        Mistake("swaps_the_two", "The order is α, then β.", {"t - slope * n, 1 / slope": "1 / slope, t - slope * n"}),
        Mistake(
            "gives_microseconds",
            "α is in microseconds; asked are seconds.",
            {"t - slope * n,": "1e6 * (t - slope * n),"},
        ),
        Mistake(
            "lets_no_latency_be_negative",
            "A fitted α may be below zero, and it then says that the line is wrong near 0. Return it as it is.",
            {"t - slope * n,": "max(0.0, t - slope * n),"},
        ),
        Mistake(
            "takes_the_absolute_latency",
            "A fitted α may be below zero; its sign is lost here.",
            {"t - slope * n,": "abs(t - slope * n),"},
        ),
        Mistake(
            "keeps_the_last_of_a_size",
            "A size may come twice, and both of its times count.",
            last_of_a_size,
        ),
        Mistake(
            "sorts_the_sizes_alone",
            "The sizes were sorted and their times were not: keep each time with its size.",
            sizes_sorted_alone,
        ),
        Mistake(
            "uses_two_points",
            "This is the line through the first and the last point; the others count too.",
            through_two_points,
        ),
        Mistake(
            "is_always_one_link",
            "This is right for one input only: it does not look at the times.",
            lambda sizes_bytes, times_s: (1e-6, 1e9),
        ),
    ],
)
