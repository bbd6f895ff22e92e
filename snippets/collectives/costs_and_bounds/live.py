"""Drawings: the time of every algorithm of a collective against size, which is best where, how far from the floor."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from snippets.collectives.algorithm_costs import (
    PricedAlgorithm,
    algorithm_cost,
    best_collective_segments,
    collective_lower_bound,
    compare_algorithms,
)
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, Switch, in_units
from snippets.simulation.algorithms import ALGORITHMS, PIPELINED, largest_power_of_two, spoken

_PRIMITIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all")
_FAR = ("recursive_doubling", "recursive_halving", "halving_doubling", "bruck")
_OWN = dict.fromkeys(name for primitive in _PRIMITIVES for name in ALGORITHMS[primitive])
_WIDTH = 328  # two stand side by side in the page's column
_SMALLEST, _LARGEST = 1e3, 1e10
_SIZES = Axis(_SMALLEST, _LARGEST, "log", "size n", "B", ticks=(1e3, 1e5, 1e7, 1e9))
_POINTS = tuple(10 ** (3 + number / 3) for number in range(22))
_HALVINGS = 9  # of a third of a decade: below what three digits show


class _Machine(NamedTuple):
    """What the times of a figure depend on besides the algorithm and the size."""

    primitive: str
    ranks: int
    latency_s: float
    bandwidth_bytes_per_s: float


@live_figure(
    title="Which of these algorithms is the fastest?",
    caption="Thick: the fastest listed algorithm at each size. Thin grey: the others; the table names them. Red, and ▸ "
    "in the table: yours. Dashed: the floor. The table is for the size at the vertical line, its rows in the "
    "order of the dots. From which size on is yours near the floor? Then choose numbers of ranks that are no "
    "powers of two, and take away the exchanges between distant ranks, which real wires may not carry at full "
    "speed.",
    knobs=[
        Choice("primitive", "Collective", {name: name.replace("_", "-") for name in _PRIMITIVES}, "all_reduce"),
        Number("ranks", "Ranks R", 4, 2, 1024, 2**0.5, "log"),
        Number("size_bytes", "Size n", 1600 * 2**11, 1600, 1600 * 2**22, 2**0.5, "log", "B"),
        Number("latency_s", "Latency α", 5e-6, 5e-6 / 2**6, 5e-6 * 2**7, 2**0.25, "log", "s", whole=False),
        Number(
            "bandwidth_bytes_per_s", "Bandwidth β", 40e9, 40e9 / 2**6, 40e9 * 2**4, 2**0.25, "log", "B/s", whole=False
        ),
        Choice("own", "Your algorithm", {name: spoken(name) for name in _OWN}, "ring"),
        Switch("distant", "Exchanges between distant ranks (doubling, halving, Bruck)", True),
    ],
    named=[
        Named(
            "The question: 25 MiB, 256 ranks",
            "The ring takes 2.87 times the floor, halving–doubling 1.03 times.",
            {"ranks": 256, "size_bytes": 25 * 2**20},
        ),
        Named(
            "64 KiB, 256 ranks",
            "The ring's steps cost 59.02 times the floor, and recursive doubling is the fastest listed.",
            {"ranks": 256, "size_bytes": 2**16},
        ),
        Named(
            "1 GB, 96 ranks",
            "Off a power of two halving–doubling sends twice the bytes: 2.01 times the floor.",
            {"ranks": 96, "size_bytes": 10**9, "own": "halving_doubling"},
        ),
        Named(
            "1 GB, neighbours and trees alone",
            "Without the distant exchanges the ring is the fastest listed, 1.05 times the floor.",
            {"ranks": 256, "size_bytes": 10**9, "distant": False},
        ),
        Named(
            "The 70B on 256 GPUs",
            "A ring gathers a layer's 1.71 GB of weights in 1.03 times the floor, so nothing can be much faster.",
            {"primitive": "all_gather", "ranks": 256, "size_bytes": 1_711_276_032},
        ),
    ],
    opens="The question: 25 MiB, 256 ranks",
)
def best_collective(
    *,
    primitive: str,
    ranks: int,
    size_bytes: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    own: str,
    distant: bool,
) -> Picture:
    """Draw times and distances from the floor against size, and list every algorithm at one size."""
    machine = _Machine(primitive, ranks, latency_s, bandwidth_bytes_per_s)
    names = [name for name in ALGORITHMS[primitive] if distant or name not in _FAR]
    curves = {name: _Curve(machine, name) for name in names}
    floor = _Curve(machine, None)
    choices = compare_algorithms(
        primitive,
        ranks=ranks,
        size_bytes=size_bytes,
        element_bytes=1,
        latency_s=latency_s,
        bandwidth_bytes_per_s=bandwidth_bytes_per_s,
        algorithms=names,
    )
    times = {name: [curve.time_s(size) for size in _POINTS] for name, curve in curves.items()}
    floors = [floor.time_s(size) for size in _POINTS]
    regions = _regions(curves, times)
    best = choices[0]
    collective = primitive.replace("_", "-")
    numbers = (
        f"{in_units(size_bytes, 'B')} on {ranks:,} ranks: fastest of those listed is {spoken(best.algorithm)}, "
        f"{in_units(best.time_s, 's')} or {_times_floor(best.distance)} times the floor of "
        f"{in_units(best.bound_s, 's')}. {_spoken_own(own, choices, collective)} By size: {_spoken_regions(regions)}."
    )
    alt = (
        f"Left: time against size of {len(names)} algorithms of the {collective} on logarithmic axes, with the floor "
        f"below all of them; the lowest are, by size, {_spoken_regions(regions)}. Right: the same over the floor. "
        f"A table lists the algorithms at {in_units(size_bytes, 'B')}, the slowest on top."
    )
    low, high = _decade(floors[0], math.floor), _decade(10 * min(run[-1] for run in times.values()), math.ceil)
    left = Plot(
        _SIZES,
        Axis(low, high, "log", "time T", "s"),
        title=f"{collective.capitalize()}, {ranks:,} ranks",
        width_px=_WIDTH,
    )
    right = Plot(
        _SIZES,
        Axis(1, 250, "log", "T / floor", ticks=(1, 2, 5, 10, 20, 50, 100)),
        title="Times the floor",
        width_px=_WIDTH,
    )
    for plot, unit in ((left, [1.0] * len(floors)), (right, floors)):
        _curves(plot, times, own, unit, floors)
        plot.panel.line(plot.x(size_bytes), plot.top, plot.x(size_bytes), plot.bottom, colour="muted")
        here = [choice.time_s / (choice.bound_s if plot is right else 1) for choice in choices]
        plot.dots([(size_bytes, time) for time in here[1:]], colour="muted", radius=3)
        plot.dots([(size_bytes, here[0])], colour="accent", radius=5)
    idle = () if any(name in _FAR for name in ALGORITHMS[primitive]) else ("distant",)
    panels = [left.panel, right.panel, _table(choices, own, size_bytes, regions)]
    return Picture(panels, numbers, alt, idle=idle)


class _Curve:
    """The time of an algorithm, or of the floor, against size, where chunks are even."""

    def __init__(self, machine: _Machine, algorithm: str | None) -> None:
        self.machine, self.algorithm = machine, algorithm
        length = 2 * machine.ranks * largest_power_of_two(machine.ranks)  # all cuts divide it
        at = {"ranks": machine.ranks, "size_bytes": length}
        primitive = machine.primitive
        terms = algorithm_cost(primitive, algorithm, **at) if algorithm else collective_lower_bound(primitive, **at)
        self.steps, self.wire = terms.steps, terms.wire_bytes / length

    def time_s(self, size: float) -> float:
        """Return the time at a size, pipelined in the best number of blocks."""
        primitive, ranks, latency_s, bandwidth = self.machine
        if self.algorithm not in PIPELINED:
            return self.steps * latency_s + self.wire * size / bandwidth
        at: dict[str, Any] = {"ranks": ranks, "size_bytes": round(size), "element_bytes": 1}
        link: dict[str, Any] = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth}
        blocks = best_collective_segments(primitive, self.algorithm, **at, **link)
        return algorithm_cost(primitive, self.algorithm, **at, segments=blocks).time_s(**link)


_Regions = list[tuple[str, float]]


def _regions(curves: dict[str, _Curve], times: dict[str, list[float]]) -> _Regions:
    """Return which algorithm is the fastest, with the size from which it is; ties go to the first."""
    fastest = [min(times, key=lambda name: times[name][at]) for at in range(len(_POINTS))]
    regions = [(fastest[0], _SMALLEST)]
    for (before, now), (low, high) in zip(pairwise(fastest), pairwise(_POINTS), strict=True):
        if before != now:
            regions.append((now, _crossing(curves[before], curves[now], low, high)))
    return regions


def _crossing(before: _Curve, after: _Curve, low: float, high: float) -> float:
    """Return a size between two at which one curve goes below another."""
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if after.time_s(middle) < before.time_s(middle) else (middle, high)
    return math.sqrt(low * high)


def _spoken_regions(regions: _Regions) -> str:
    first, *others = regions
    return ", ".join([spoken(first[0]), *(f"from {in_units(size, 'B')} {spoken(name)}" for name, size in others)])


def _spoken_own(own: str, choices: Sequence[PricedAlgorithm], collective: str) -> str:
    """Return what the reader's own algorithm takes, or that it is not among those that are shown."""
    for choice in choices:
        if choice.algorithm == own:
            return f"Yours, {spoken(own)}: {in_units(choice.time_s, 's')}, {_times_floor(choice.distance)} times."
    return f"Yours, {spoken(own)}, is not among those of the {collective} that are shown."


def _decade(value: float, rounded: Callable[[float], int]) -> float:
    return 10.0 ** rounded(math.log10(value))


def _curves(
    plot: Plot, times: dict[str, list[float]], own: str, unit: Sequence[float], floors: Sequence[float]
) -> None:
    """Draw every algorithm thin, one of them red, the lowest thick and the floor dashed, all over a unit."""
    for run in times.values():
        plot.curve(_over(run, unit), colour="muted", width=1)
    lowest = [min(run[at] for run in times.values()) for at in range(len(_POINTS))]
    plot.curve(_over(lowest, unit), colour="accent", width=3.5)
    plot.curve(_over(floors, unit), colour="ink", width=1.3, dashed=True)
    if own in times:
        plot.curve(_over(times[own], unit), colour="communication")


def _over(values: Sequence[float], unit: Sequence[float]) -> list[tuple[float, float]]:
    return [(size, value / one) for size, value, one in zip(_POINTS, values, unit, strict=True)]


def _table(choices: Sequence[PricedAlgorithm], own: str, size_bytes: int, regions: _Regions) -> Panel:
    """List the algorithms at one size, the slowest on top; below, which is the fastest at every size."""
    end = 48 + 21 * len(choices)
    panel = Panel(_WIDTH, end + 78)
    panel.text(0, 14, f"At {in_units(size_bytes, 'B')}", bold=True)
    rights = (204, 268, _WIDTH - 2)
    for x, head in zip(rights, ("steps", "time", "× floor"), strict=True):
        panel.text(x, 34, head, anchor="end", colour="muted", size=12)
    for row, choice in enumerate(reversed(choices)):
        y, fastest = 56 + 21 * row, choice is choices[0]
        entries = (f"{choice.terms.steps:,}", in_units(choice.time_s, "s"), _times_floor(choice.distance))
        colour = "communication" if choice.algorithm == own else "ink"
        name = f"{'▸ ' if choice.algorithm == own else ''}{spoken(choice.algorithm)}"
        panel.text(0, y, name, bold=fastest, colour=colour)
        for x, entry in zip(rights, entries, strict=True):
            panel.text(x, y, entry, anchor="end", bold=fastest, colour=colour)
    panel.text(0, end + 26, "The fastest, by size", bold=True)
    _strip(panel, regions, end + 36)
    return panel


def _times_floor(distance: float) -> str:
    return f"{distance:.2f}" if distance < 100 else f"{distance:,.0f}"


def _strip(panel: Panel, regions: _Regions, top: float) -> None:
    """Draw the sizes as a strip that is cut where another algorithm becomes the fastest, with names where they fit."""
    starts = [1 + (_WIDTH - 2) * _SIZES.share(size) for _, size in regions]
    ends = [*starts[1:], _WIDTH - 1.0]
    for number, ((name, _), start, end) in enumerate(zip(regions, starts, ends, strict=True)):
        panel.rectangle(start, top, end - start, 22, colour="accent", strength=0.12 if number % 2 else 0.3)
        if end - start > 6.4 * len(spoken(name)):
            panel.text((start + end) / 2, top + 11, spoken(name), anchor="middle", middle=True, size=12)
    panel.text(1, top + 37, in_units(_SMALLEST, "B"), colour="muted", size=12)
    panel.text(_WIDTH - 1, top + 37, in_units(_LARGEST, "B"), anchor="end", colour="muted", size=12)
    free = 70.0
    for start, (_, size) in zip(starts[1:], regions[1:], strict=True):
        if free <= start <= _WIDTH - 72:
            panel.text(start, top + 37, in_units(size, "B"), anchor="middle", colour="muted", size=12)
            free = start + 64
