"""Exercise: the bandwidths in the output of nccl-tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.collectives.costs_and_bounds.bus_bandwidth import bus_bandwidth_factor

PRIMITIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce")
HEADER = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
Times = tuple[int, float, float]


def read_benchmark(
    text: str,
    *,
    primitive: str,
    ranks: int,
) -> dict[int, tuple[float, float]]:
    """Compute the bandwidths of a run of nccl-tests from its sizes and times.

    Args:
        text: what nccl-tests prints. Lines that begin with ``#`` and empty
            lines hold no measurement. The others hold size in bytes, count,
            type, reduction, root, then for out-of-place: time in µs, algorithm
            bandwidth, bus bandwidth, number of wrong elements; then the same
            four for in-place.
        primitive: ``"all_reduce"``, ``"all_gather"``, ``"reduce_scatter"``,
            ``"all_to_all"``, ``"broadcast"`` or ``"reduce"``.
        ranks: number of ranks, at least 2.

    Returns:
        For each size in bytes its algorithm bandwidth and its bus bandwidth,
        both in bytes per second, not rounded, from the out-of-place time (the
        printed bandwidths are rounded).

    >>> line = "4000 1000 float sum -1 2.0 2.00 3.00 0 2.1 1.90 2.86 0"
    >>> read_benchmark(line, primitive="all_reduce", ranks=4)
    {4000: (2000000000.0, 3000000000.0)}
    """
    share = (ranks - 1) / ranks
    factor = {"all_reduce": 2 * share, "broadcast": 1, "reduce": 1}.get(primitive, share)
    result = {}
    for line in text.splitlines():
        columns = line.split()
        if columns and not columns[0].startswith("#"):
            size, time_s = int(columns[0]), float(columns[5]) * 1e-6
            result[size] = size / time_s, factor * size / time_s
    return result


def observe_benchmark(function: Callable[..., Any], **inputs: Any) -> Observation:
    shown = function(**inputs)
    return {
        "sizes": list(shown),
        "algorithm bandwidths": [plain for plain, _ in shown.values()],
        "bus bandwidths": [bus for _, bus in shown.values()],
    }


def bandwidths(text: str, primitive: str, ranks: int) -> Observation:
    """Find the numbers by a pattern, and compute in fractions with the snippet's factor."""
    found = re.findall(r"^\s*(\d+)\s+\d+\s+\w+\s+\w+\s+\S+\s+([\d.]+)", text, re.MULTILINE)
    rates = [Fraction(size) / Fraction(time) * 10**6 for size, time in found]
    factor = bus_bandwidth_factor(primitive, ranks=ranks)
    return {
        "sizes": [int(size) for size, _ in found],
        "algorithm bandwidths": [float(rate) for rate in rates],
        "bus bandwidths": [float(rate * factor) for rate in rates],
    }


def output(before: str, measured: Sequence[Times], after: str, primitive: str, ranks: int) -> Inputs:
    """Return what nccl-tests prints for sizes with their out-of-place and in-place times in µs."""
    factor = float(bus_bandwidth_factor(primitive, ranks=ranks))
    kind, width = (("float", 4), ("half", 2), ("bfloat16", 2))[ranks % 3]
    reduction = "sum" if "reduce" in primitive else "none"
    root = 0 if primitive in ("broadcast", "reduce") else -1

    def columns(size: int, time_us: float) -> str:
        gb_per_s = size / time_us / 1e3
        return f"{time_us:8.2f} {gb_per_s:6.2f} {gb_per_s * factor:6.2f} {'N/A' if ranks % 2 else 0:>6}"

    lines = [
        f"{size:12} {size // width:12} {kind:>9} {reduction:>7} {root:7} {columns(size, out)} {columns(size, own)}\n"
        for size, out, own in measured
    ]
    return {"text": "".join([before, *lines, after]), "primitive": primitive, "ranks": ranks}


def measured(seed: int) -> list[Times]:
    chance = Random(seed)
    sizes = sorted(chance.sample(range(3, 24), 1 + seed % 3))
    return [(2**size, chance.uniform(1, 99), chance.uniform(1, 99)) for size in sizes]


def drawn(chance: Random) -> list[Inputs]:
    """Return runs of other times, sizes and ranks."""
    found = []
    for primitive in PRIMITIVES * 8:
        ranks, footer = chance.randint(2, 16), "\n# Avg bus bandwidth : 1\n" * chance.randrange(3)
        lines = measured(chance.randrange(10**9))
        found.append(output(HEADER * chance.randrange(2), lines, footer, primitive, ranks))
    return found


EXERCISE = Exercise(
    read_benchmark,
    number=3,
    asked="algorithm and bus bandwidth for each size in the output of nccl-tests",
    expected=bandwidths,
    observe=observe_benchmark,
    examples=[
        output("", [(1000, 3.0, 2.0)], "", "all_gather", 4),
        output("", [(8000, 4.0, 5.0)], "", "broadcast", 2),
        output(HEADER, [], "", "all_reduce", 2),
        output(
            output(HEADER, [(4096, 12.0, 11.0)], "\n# a longer one\n", "all_reduce", 4)["text"],
            [(65536, 16.0, 15.0)],
            "",
            "all_reduce",
            4,
        ),
        output(HEADER + "\n", [(8, 20.0, 19.0), (1048576, 26.5, 26.0)], "# Avg : 34.9\n", "all_reduce", 8),
    ],
    inputs=[
        output(HEADER * (ranks % 2), measured(ranks), "\n# Avg bus bandwidth : 1\n" * (ranks % 3), primitive, ranks)
        for primitive in PRIMITIVES
        for ranks in range(2, 16)
    ],
    drawn=drawn,
    units={"sizes": "bytes", "algorithm bandwidths": "bytes/s", "bus bandwidths": "bytes/s"},
    mistakes=[
        Mistake(
            "reads_the_time_in_place",
            "This is the in-place time, the second one of a line.",
            {"columns[5]": "columns[9]"},
        ),
        Mistake("takes_seconds", "The times are in microseconds, not seconds.", {"1e-6": "1"}),
        Mistake(
            "copies_both_printed_bandwidths",
            "The printed bandwidths are rounded to hundredths of a GB/s: compute them from size and time.",
            {"size / time_s, factor * size / time_s": "float(columns[6]) * 1e9, float(columns[7]) * 1e9"},
        ),
        Mistake(
            "starts_from_the_printed_bandwidth",
            "The printed bandwidths are rounded to hundredths of a GB/s: begin with size and time.",
            {"size / time_s, factor * size / time_s": "size / time_s, factor * float(columns[6]) * 1e9"},
        ),
        Mistake("returns_gigabytes", "These are GB/s; bytes per second are asked.", {"1e-6": "1e3"}),
        Mistake(
            "takes_every_primitive_for_an_all_reduce",
            "The factor 2 belongs to the all-reduce alone; the others have one half of it, or 1.",
            {".get(primitive, share)": '["all_reduce"]'},
        ),
        Mistake(
            "forgets_the_factor_two", "An all-reduce sends twice: its factor is 2(R − 1)/R.", {"2 * share": "share"}
        ),
        Mistake(
            "swaps_the_bandwidths",
            "The order is algorithm bandwidth, then bus bandwidth.",
            {"size / time_s, factor * size / time_s": "factor * size / time_s, size / time_s"},
        ),
        Mistake(
            "is_always_one_line",
            "This is right for one input only: it does not look at the text.",
            lambda **_: {8000: (2e9, 2e9)},
        ),
    ],
)
