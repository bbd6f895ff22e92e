"""Grader of chapter 14: answers against straight lines, priced schedules and the floor of bytes, in exact fractions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint
from snippets.collectives.algorithm_costs import lower_bound
from snippets.collectives.algorithms import build, largest_power_of_two
from snippets.collectives.bus_bandwidth import bus_bandwidth_factor
from snippets.collectives.schedule_cost import price

PAGE = "14-costs-and-bounds.md"
CANDIDATES = ("ring", "recursive_doubling", "halving_doubling")
BENCHMARKED = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce")
HEADER = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
Terms = tuple[float, float]


def root_of_the_difference(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    """Look at the difference of the two times at 0 and at 1 byte; it is a straight line."""
    at = [
        sum((a - b) * price for a, b, price in zip(map(Fraction, first), map(Fraction, second), prices, strict=True))
        for prices in ((Fraction(latency_s), Fraction(size) / Fraction(bandwidth_bytes_per_s)) for size in (0, 1))
    ]
    if at[0] == at[1]:
        return None
    root = at[0] / (at[0] - at[1])
    return float(root) if root > 0 else None


def machines() -> dict[str, Any]:
    from hypothesis import strategies as st

    return {
        "latency_s": st.integers(1, 20).map(lambda us: us * 1e-6),
        "bandwidth_bytes_per_s": st.integers(10, 100).map(lambda gb: gb * 1e9),
    }


def pairs_of_algorithms() -> Any:
    from hypothesis import strategies as st

    terms = st.tuples(st.integers(0, 20), st.integers(0, 24).map(lambda quarters: quarters / 4))
    return st.fixed_dictionaries({"first": terms, "second": terms, **machines()})


@cache
def counted_terms(algorithm: str, ranks: int) -> tuple[int, Fraction]:
    """Steps, and bytes for each byte of the vector, on the messages of a schedule with even chunks."""
    length = ranks * largest_power_of_two(ranks)
    schedule = build("all_reduce", algorithm, ranks=ranks, length=length)
    terms = price(schedule, element_bytes=1, latency_s=1.0, bandwidth_bytes_per_s=1.0).terms
    return terms.steps, Fraction(terms.wire_bytes, length)


def simulated_s(
    algorithm: str, *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    steps, bytes_each = counted_terms(algorithm, ranks)
    return float(steps * Fraction(latency_s) + bytes_each * Fraction(size_bytes) / Fraction(bandwidth_bytes_per_s))


def fastest_simulated(**inputs: Any) -> dict[str, Any]:
    best_s = min(simulated_s(name, **inputs) for name in CANDIDATES)
    return {"a name and seconds": True, "time of the algorithm chosen": best_s, "time returned": best_s}


def observe_choice(function: Any, **inputs: Any) -> dict[str, Any]:
    """Run the algorithm that is named; two that take the same time are both right."""
    shown = function(**inputs)
    if not isinstance(shown, tuple | list) or len(shown) != 2 or shown[0] not in CANDIDATES:
        return {"a name and seconds": False}
    chosen_s = simulated_s(shown[0], **inputs)
    return {"a name and seconds": True, "time of the algorithm chosen": chosen_s, "time returned": shown[1]}


def vectors_to_reduce() -> Any:
    from hypothesis import strategies as st

    sizes = st.tuples(st.integers(1, 9), st.integers(2, 8)).map(lambda size: size[0] * 10 ** size[1])
    return st.fixed_dictionaries({"ranks": st.integers(2, 16), "size_bytes": sizes, **machines()})


def printed(*measured: tuple[int, float, float], primitive: str, ranks: int) -> str:
    """Lines of nccl-tests for sizes with their out-of-place and in-place times in µs."""
    factor = float(bus_bandwidth_factor(primitive, ranks=ranks))

    def columns(size: int, time_us: float) -> str:
        gb_per_s = size / time_us / 1e3
        return f"{time_us:.2f} {gb_per_s:.2f} {gb_per_s * factor:.2f} 0"

    lines = [
        f"{size} {size // 4} float sum -1 {columns(size, out_us)} {columns(size, in_us)}"
        for size, out_us, in_us in measured
    ]
    return "\n".join([*lines, ""])


def output(before: str, measured: Sequence[tuple[int, float, float]], after: str, **run: Any) -> dict[str, Any]:
    return {"text": before + printed(*measured, **run) + after, **run}


def bandwidths(text: str, *, primitive: str, ranks: int) -> dict[str, Any]:
    """Find the numbers by a pattern, and compute in fractions with the snippet's factor."""
    found = re.findall(r"^\s*(\d+)\s+\d+\s+\w+\s+\w+\s+\S+\s+([\d.]+)", text, re.MULTILINE)
    plain = [(int(size), Fraction(size) / Fraction(time) * 10**6) for size, time in found]
    factor = bus_bandwidth_factor(primitive, ranks=ranks)
    return {
        "a dictionary of pairs": True,
        "sizes": [size for size, _ in plain],
        "algorithm bandwidths": [float(rate) for _, rate in plain],
        "bus bandwidths": [float(rate * factor) for _, rate in plain],
    }


def observe_benchmark(function: Any, **inputs: Any) -> dict[str, Any]:
    shown = function(**inputs)
    if not isinstance(shown, dict) or not all(
        isinstance(pair, tuple | list) and len(pair) == 2 for pair in shown.values()
    ):
        return {"a dictionary of pairs": False}
    return {
        "a dictionary of pairs": True,
        "sizes": list(shown),
        "algorithm bandwidths": [pair[0] for pair in shown.values()],
        "bus bandwidths": [pair[1] for pair in shown.values()],
    }


def outputs() -> Any:
    from hypothesis import strategies as st

    hundredths = st.integers(100, 9999).map(lambda time: time / 100)
    lines = st.lists(
        st.tuples(st.integers(1, 2**20), hundredths, hundredths), max_size=3, unique_by=lambda line: line[0]
    )
    before = st.sampled_from(["", HEADER, HEADER + "\n"])
    after = st.sampled_from(["", "# Avg bus bandwidth : 1\n", "\n"])
    return st.builds(output, before, lines, after, primitive=st.sampled_from(BENCHMARKED), ranks=st.integers(2, 16))


def at_or_above_the_floor(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    """Compare with the floor of bytes that holds for every schedule, scaled from a vector with even chunks."""
    floor = Fraction(lower_bound(primitive, ranks=ranks, size_bytes=2 * ranks).wire_bytes, 2 * ranks)
    return floor * Fraction(size_bytes) <= Fraction(time_s) * Fraction(bandwidth_bytes_per_s)


def claims() -> Any:
    """Times from an eighth to eight times the floor, never so near to it that rounding could decide."""
    from hypothesis import strategies as st

    def claim(primitive: str, ranks: int, size: int, eighths: int) -> dict[str, Any]:
        time_s = float(bus_bandwidth_factor(primitive, ranks=ranks)) * size / 64 * (eighths + 0.5) / 8
        return {
            "primitive": primitive,
            "ranks": ranks,
            "size_bytes": size,
            "time_s": time_s,
            "bandwidth_bytes_per_s": 64,
        }

    near = st.integers(1, 24) | st.integers(1, 80)
    return st.builds(claim, st.sampled_from(BENCHMARKED), st.integers(2, 9), st.integers(1, 1000), near)


EXERCISES = [
    Exercise(
        name="crossover_bytes",
        number=1,
        asked="the bytes at which both algorithms take the same time, or None",
        expected=root_of_the_difference,
        examples=[
            {"first": (1, 2.0), "second": (2, 1.0), "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"first": (1, 1.0), "second": (2, 1.0), "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"first": (2, 1.0), "second": (2, 3.0), "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"first": (2, 1.0), "second": (2, 1.0), "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"first": (3, 3.0), "second": (14, 1.75), "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
            {"first": (14, 1.75), "second": (3, 3.0), "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
            {"first": (3, 1.0), "second": (5, 2.5), "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
        ],
        inputs=pairs_of_algorithms,
        units={"result": "bytes"},
        hints=(
            Hint(
                "Write both times as straight lines in the size n. Where do the lines meet?",
                f"{PAGE}#where-one-overtakes-the-other",
            ),
            Hint(
                "They meet where the steps saved, times α, are worth the bytes wasted, over β. If one saves both or "
                "wastes both, or they are alike in one of the two, the lines do not meet above 0.",
                f"{PAGE}#where-one-overtakes-the-other",
            ),
            Hint(
                "n = (S₂ − S₁)·α·β / (b₁ − b₂), if that is above 0; None if it is not, or if b₁ = b₂.",
                f"{PAGE}#where-one-overtakes-the-other",
            ),
        ),
    ),
    Exercise(
        name="choose_all_reduce",
        number=2,
        asked="the fastest of ring, recursive_doubling and halving_doubling, and its seconds",
        expected=fastest_simulated,
        observe=observe_choice,
        examples=[
            {"ranks": 2, "size_bytes": 1000, "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"ranks": 4, "size_bytes": 10**6, "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"ranks": 3, "size_bytes": 10**8, "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
            {"ranks": 6, "size_bytes": 100, "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
            {"ranks": 12, "size_bytes": 10**6, "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
            {"ranks": 12, "size_bytes": 10**9, "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
        ],
        inputs=vectors_to_reduce,
        units={"time of the algorithm chosen": "s", "time returned": "s"},
        level="easy",
        hints=(
            Hint("Price all three with T = Sα + B/β and take the least.", f"{PAGE}#what-a-schedule-costs"),
            Hint(
                "The table has S and B for powers of two. Folding adds two steps, each of a whole vector.",
                f"{PAGE}#what-a-schedule-costs",
            ),
            Hint(
                "Ring: 2(N − 1) steps, 2(N − 1)/N · n bytes. With P = 2^k ≤ N the largest: recursive doubling k steps "
                "and k·n bytes, halving–doubling 2k steps and 2(P − 1)/P · n bytes; both 2 steps and 2n bytes more if "
                "P < N.",
                f"{PAGE}#where-one-overtakes-the-other",
            ),
        ),
    ),
    Exercise(
        name="read_benchmark",
        number=3,
        asked="algorithm and bus bandwidth for each size in the output of nccl-tests",
        expected=bandwidths,
        observe=observe_benchmark,
        examples=[
            output("", [(8000, 4.0, 5.0)], "", primitive="broadcast", ranks=2),
            output(HEADER, [], "", primitive="all_reduce", ranks=2),
            output("", [(1000, 3.0, 2.0)], "", primitive="all_gather", ranks=4),
            output(
                HEADER + "\n",
                [(8, 20.0, 19.0), (1048576, 26.5, 26.0)],
                "# Avg : 34.9\n",
                primitive="all_reduce",
                ranks=8,
            ),
        ],
        inputs=outputs,
        units={"sizes": "bytes", "algorithm bandwidths": "bytes/s", "bus bandwidths": "bytes/s"},
        hints=(
            Hint(
                "Split each line that is not skipped at its spaces; size and out-of-place time are two of the columns.",
                f"{PAGE}#on-a-real-system",
            ),
            Hint(
                "Times are in µs. The algorithm bandwidth is size over time, whatever the primitive.",
                f"{PAGE}#two-bandwidths",
            ),
            Hint(
                "columns[0] is the size and columns[5] the time. Multiply size/time by f(N): 2(N − 1)/N for an "
                "all-reduce, (N − 1)/N for all-gather, reduce-scatter and all-to-all, 1 for broadcast and reduce.",
                f"{PAGE}#two-bandwidths",
            ),
        ),
    ),
    Exercise(
        name="possible",
        number=4,
        asked="whether ranks that only send and receive can have been so fast",
        expected=at_or_above_the_floor,
        examples=[
            {"primitive": "broadcast", "ranks": 2, "size_bytes": 64, "time_s": 2.0, "bandwidth_bytes_per_s": 64},
            {"primitive": "broadcast", "ranks": 2, "size_bytes": 64, "time_s": 0.5, "bandwidth_bytes_per_s": 64},
            {"primitive": "broadcast", "ranks": 8, "size_bytes": 64, "time_s": 1.0, "bandwidth_bytes_per_s": 64},
            {"primitive": "all_reduce", "ranks": 4, "size_bytes": 64, "time_s": 1.5, "bandwidth_bytes_per_s": 64},
            {"primitive": "all_reduce", "ranks": 4, "size_bytes": 64, "time_s": 1.25, "bandwidth_bytes_per_s": 64},
            {"primitive": "all_gather", "ranks": 2, "size_bytes": 64, "time_s": 0.75, "bandwidth_bytes_per_s": 64},
        ],
        inputs=claims,
        hints=(
            Hint("What is the least time that the bytes alone take, whatever the algorithm?", f"{PAGE}#bytes"),
            Hint(
                "At least f(N)·n bytes pass a rank's port, with the factor of the bus bandwidth.",
                f"{PAGE}#two-bandwidths",
            ),
            Hint(
                "It is possible if f(N)·n/β ≤ T: if the bus bandwidth is not above the link's.",
                f"{PAGE}#two-bandwidths",
            ),
        ),
    ),
]

test_answer = graded(EXERCISES)
