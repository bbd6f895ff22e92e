"""The solutions of chapter 14 against priced schedules, published factors and a printed benchmark."""

from __future__ import annotations

import pytest

from exercises.collectives.costs_and_bounds.solution import (
    choose_all_reduce,
    crossover_bytes,
    possible,
    read_benchmark,
)
from snippets.collectives.algorithms import ALGORITHMS, build, largest_power_of_two
from snippets.collectives.schedule_cost import price
from snippets.foundations.published_runs import H200_NODE

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)

ALPHA, BETA = 5e-6, 50e9

# Lines in the form of nccl-tests, with numbers of our own; the columns after the time are rounded as it rounds them.
OUTPUT = """\
# nThread 1 nGpus 8 minBytes 8 maxBytes 1048576
#
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8             2     float     sum      -1    20.00    0.00    0.00      0    19.00    0.00    0.00      0

     1048576        262144     float     sum      -1    26.50   39.57   69.25      0    26.00   40.33   70.58      0
# Avg bus bandwidth    : 34.9
"""


def terms(name: str, ranks: int) -> tuple[float, float]:
    """Return steps, and bytes on the wire for each byte of the vector, from the messages of a schedule."""
    size = 64 * ranks
    cost = price(
        build("all_reduce", name, ranks=ranks, length=size), element_bytes=1, latency_s=0, bandwidth_bytes_per_s=1
    ).terms
    return cost.steps, cost.wire_bytes / size


@pytest.mark.parametrize("ranks", [4, 8, 32])
def test_at_a_crossover_two_priced_schedules_take_the_same_time(ranks: int) -> None:
    for one in ALGORITHMS["all_reduce"]:
        for other in ALGORITHMS["all_reduce"]:
            first, second = terms(one, ranks), terms(other, ranks)
            found = crossover_bytes(first, second, latency_s=ALPHA, bandwidth_bytes_per_s=BETA)
            differences = [
                (first[0] - second[0]) * ALPHA + (first[1] - second[1]) * size / BETA for size in (1e-3, 1e15)
            ]
            if found is None:
                assert differences[0] * differences[1] >= 0 or 0 in (first[0] - second[0], first[1] - second[1])
            else:
                assert differences[0] * differences[1] < 0
                at = [
                    price(
                        build("all_reduce", name, ranks=ranks, length=ranks * round(found / ranks)),
                        element_bytes=1,
                        latency_s=ALPHA,
                        bandwidth_bytes_per_s=BETA,
                    ).time_s
                    for name in (one, other)
                ]
                assert at[0] == pytest.approx(at[1], rel=1e-3)


@pytest.mark.parametrize("ranks", [2, 3, 8, 12, 96])
@pytest.mark.parametrize("size", [1, 10**5, 10**7, 10**9])
def test_the_algorithm_chosen_is_the_fastest_that_is_priced(ranks: int, size: int) -> None:
    found, time_s = choose_all_reduce(ranks=ranks, size_bytes=size, latency_s=ALPHA, bandwidth_bytes_per_s=BETA)
    even = ranks * largest_power_of_two(ranks)
    times = {}
    for name in ("ring", "recursive_doubling", "halving_doubling"):
        schedule = build("all_reduce", name, ranks=ranks, length=even)
        times[name] = price(schedule, element_bytes=1, latency_s=ALPHA, bandwidth_bytes_per_s=BETA * even / size).time_s
    assert time_s == pytest.approx(min(times.values()))
    assert time_s == pytest.approx(times[found])


def test_the_bandwidths_are_those_that_the_benchmark_prints() -> None:
    read = read_benchmark(OUTPUT, primitive="all_reduce", ranks=8)
    assert list(read) == [8, 1048576]
    algorithm, bus = read[1048576]
    assert (round(algorithm / 1e9, 2), round(bus / 1e9, 2)) == (39.57, 69.25)


@pytest.mark.parametrize(
    ("primitive", "factors"),
    [
        # NVIDIA nccl-tests, doc/PERFORMANCE.md, for 2, 8 and 64 ranks
        ("all_reduce", (1, 1.75, 1.96875)),
        ("reduce_scatter", (0.5, 0.875, 0.984375)),
        ("all_gather", (0.5, 0.875, 0.984375)),
        ("all_to_all", (0.5, 0.875, 0.984375)),
        ("broadcast", (1, 1, 1)),
        ("reduce", (1, 1, 1)),
    ],
)
def test_the_factors_are_the_published_ones(primitive: str, factors: tuple[float, ...]) -> None:
    for ranks, factor in zip((2, 8, 64), factors, strict=True):
        algorithm, bus = read_benchmark(OUTPUT, primitive=primitive, ranks=ranks)[1048576]
        assert bus / algorithm == pytest.approx(factor)


def test_only_what_is_published_above_the_link_is_impossible() -> None:
    for size, time, bandwidth in zip(
        H200_NODE.sizes_bytes, H200_NODE.times_s, H200_NODE.bus_bandwidths_bytes_per_s, strict=True
    ):
        answer = possible(primitive="all_reduce", ranks=8, size_bytes=size, time_s=time, bandwidth_bytes_per_s=450e9)
        assert answer == (bandwidth <= 450e9)


@pytest.mark.parametrize("name", ALGORITHMS["all_reduce"])
def test_every_priced_schedule_is_possible(name: str) -> None:
    for ranks in (2, 5, 8):
        run = price(
            build("all_reduce", name, ranks=ranks, length=40 * ranks),
            element_bytes=1,
            latency_s=0,
            bandwidth_bytes_per_s=BETA,
        )
        assert possible(
            primitive="all_reduce",
            ranks=ranks,
            size_bytes=40 * ranks,
            time_s=run.time_s * (1 + 1e-12),
            bandwidth_bytes_per_s=BETA,
        )
