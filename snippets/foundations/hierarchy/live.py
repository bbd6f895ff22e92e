"""Drawings: a two-level fat tree, what its links carry, and which of three cuts an exchange waits for."""

from __future__ import annotations

from typing import NamedTuple

from snippets.domain import as_float, one_of, positive_integer, positive_number
from snippets.drawing import Panel
from snippets.foundations.hierarchy.formulas import fat_tree_bisection_bytes_per_s, oversubscription, path_time_s
from snippets.live.bars import Bar, draw_bars
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units

_WIDTH, _MIDDLE, _MOST = 340.0, 130.0, 32
_MOST_BOXES = 64
TRAFFIC = {
    "all": "all-to-all",
    "ring": "a ring, leaf by leaf",
    "dealt": "a ring, dealt like cards",
    "pairs": "pairs across the middle",
}


class Crossing(NamedTuple):
    """What crosses three cuts in one direction: bytes out of a GPU, up from a leaf, and across the middle."""

    port: float
    leaf: float
    half: float


@live_figure(
    title="Three cuts through a network",
    caption="Each column is a leaf switch: its GPUs hang below, its cables to the spine switches stand above, red "
    "as far as the traffic uses them (in a small network each has a box of its own). Below, the time that the bytes "
    "need at least to get out of one GPU, up from one leaf, and across the middle. The longest, red here, decides.",
    knobs=[
        Number("leaves", "Leaf switches J", 4, 2, _MOST, 2),
        Number("hosts_per_leaf", "GPUs below each, G", 2, 1, _MOST, 1),
        Number("uplinks_per_leaf", "Cables up from each, U", 1, 1, _MOST, 1),
        Number("gigabytes_per_s", "What a link carries, in GB/s", 40, 5, 200, 5),
        Number("gigabytes", "What each GPU brings, in GB", 10, 1, 200, 1),
        Choice("traffic", "Traffic", TRAFFIC, "all"),
    ],
    named=[
        Named("All-to-all in network B", "Nearly all bytes leave their leaf: its cables take 970 ms, a port 250 ms.",
              {"leaves": 32, "hosts_per_leaf": 32, "uplinks_per_leaf": 8}),
        Named("All-to-all in network A", "As many cables up as GPUs: now the ports decide, with 250 ms.",
              {"leaves": 32, "hosts_per_leaf": 32, "uplinks_per_leaf": 32}),
        Named("A ring in network B", "One GPU of each leaf sends up, so the ports decide, with 500 ms, as in A.",
              {"leaves": 32, "hosts_per_leaf": 32, "uplinks_per_leaf": 8, "traffic": "ring"}),
        Named("The 70B on 256 GPUs", "Gradients of 141 GB in a ring, 7.02 s: a quarter of the cables costs it nothing.",
              {"leaves": 8, "hosts_per_leaf": 32, "uplinks_per_leaf": 8, "gigabytes": 141, "traffic": "ring"}),
    ],
    opens="All-to-all in network B",
)  # fmt: skip
def halved_tree(
    *,
    leaves: int,
    hosts_per_leaf: int,
    uplinks_per_leaf: int,
    gigabytes_per_s: float,
    gigabytes: float,
    traffic: str,
) -> Picture:
    """Draw the leaves with their links up and down, and how long the bytes take through each of three cuts."""
    J, G, U, rate = leaves, hosts_per_leaf, uplinks_per_leaf, gigabytes_per_s * 1e9
    crossing = cut_crossings(leaves=J, hosts_per_leaf=G, size_bytes=gigabytes * 1e9, traffic=traffic)
    middle = fat_tree_bisection_bytes_per_s(leaves=J, hosts_per_leaf=G, uplinks_per_leaf=U, link_bytes_per_s=rate)
    times = {
        "out of one GPU's port": path_time_s(size_bytes=crossing.port, bandwidths_bytes_per_s=[rate]),
        "up from one leaf": path_time_s(size_bytes=crossing.leaf, bandwidths_bytes_per_s=[U * rate]),
        "across the middle": path_time_s(size_bytes=crossing.half, bandwidths_bytes_per_s=[middle]),
    }
    longest = max(times.values())
    ratio = oversubscription(hosts_per_leaf=G, uplinks_per_leaf=U)
    said = ", ".join(f"{in_units(time, 's')} {name}" for name, time in times.items())
    numbers = (
        f"{J * G:,} GPUs with {in_units(gigabytes * 1e9, 'B')} each, {TRAFFIC[traffic]}: "
        f"{in_units(crossing.port, 'B')} leave a GPU, {in_units(crossing.leaf, 'B')} a leaf. That takes {said}: at "
        f"least {in_units(longest, 's')}. The bisection bandwidth is {in_units(middle, 'B/s')}, one way. Links down "
        f"over links up: {ratio:.3g}."
    )
    alt = (
        f"First: {J} columns, a bar of {G} below and of {U} above a line, cut by a dashed line in the middle. Second: "
        f"bars of {said}."
    )
    streams = 1 if traffic == "ring" else G
    return Picture([_columns(J, G, U, min(streams, U), traffic == "pairs"), _bars(times)], numbers, alt)


def cut_crossings(*, leaves: int, hosts_per_leaf: int, size_bytes: float, traffic: str) -> Crossing:
    """Return the bytes that leave one GPU, one leaf, and the first half of the leaves.

    A ring passes them on twice, less a part of each GPU: to add them up, and to hand the sums round.

    Args:
        leaves: leaf switches, an even number.
        hosts_per_leaf: GPUs below each.
        size_bytes: what each GPU brings.
        traffic: a key of ``TRAFFIC``.

    Raises:
        ValueError: the number of leaves is odd.

    >>> cut_crossings(leaves=4, hosts_per_leaf=2, size_bytes=7, traffic="all")
    Crossing(port=7.0, leaf=12.0, half=16.0)
    """
    J, G = positive_integer("leaves", leaves), positive_integer("hosts_per_leaf", hosts_per_leaf)
    n = positive_number("size_bytes", size_bytes)
    one_of("traffic", traffic, TRAFFIC.keys())
    if J % 2:
        raise ValueError(f"leaves must be even, so that no leaf is cut in two, got {leaves!r}")
    R = J * G
    as_float("leaves, hosts_per_leaf and size_bytes", R * n)  # no cut is crossed by more
    if traffic == "pairs":  # each GPU of the first half sends to its partner in the second
        return Crossing(n, G * n, R / 2 * n)
    if traffic == "all":
        return Crossing(n, G * n * (R - G) / (R - 1), R / 2 * n * (R / 2) / (R - 1))
    passed = 2 * (R - 1) / R * n
    streams = 1 if traffic == "ring" else G  # from a leaf to the next
    return Crossing(passed, streams * passed, streams * passed)


def _columns(leaves: int, below: int, above: int, used: int, one_way: bool) -> Panel:
    """Draw a column for each leaf, with bars as long as it has links; those that carry bytes up are red."""
    panel = Panel(_WIDTH, 250)
    panel.text(0, 14, "Leaves, with cables up and GPUs down", bold=True)
    unit, step = 90 / max(below, above, 4), (_WIDTH - 20) / leaves
    apart = leaves * (below + above) <= _MOST_BOXES  # a box for each link, or one for all

    def stacked(x: float, wide: float, first: int, links: int, way: int) -> list[tuple[float, float, float, float]]:
        """Return the boxes of links, counted from the line outwards, in the direction ``way``."""
        sizes = [1] * links if apart else [links]
        starts = [first + number for number in range(links)] if apart else [first]
        boxes = []
        for start, size in zip(starts, sizes, strict=True):
            near = _MIDDLE + way * (6 + unit * start)
            boxes.append((x, near - (unit * size if way < 0 else 0), wide, unit * size))
        return boxes

    for name, start, stop, colour in (("first", 0, leaves // 2, "rank-0"), ("second", leaves // 2, leaves, "rank-2")):
        places = [(10 + step * leaf + step * 0.15, step * 0.7) for leaf in range(start, stop)]
        red = used if start == 0 or not one_way else 0
        busy = [box for x, wide in places for box in stacked(x, wide, 0, red, -1) if red]
        idle = [box for x, wide in places for box in stacked(x, wide, red, above - red, -1) if above > red]
        down = [box for x, wide in places for box in stacked(x, wide, 0, below, 1)]
        panel.rectangles(busy, colour="communication", strength=0.5)
        panel.rectangles(idle, colour="muted", strength=0.2)
        panel.rectangles(down, colour=colour, strength=0.5)
        panel.text(10 + step * (start + stop) / 2, 244, f"{name} half", anchor="middle", size=12)
    panel.rectangle(6, _MIDDLE - 4, _WIDTH - 12, 8, colour="ink")
    panel.line(_WIDTH / 2, 22, _WIDTH / 2, 228, colour="ink", dashed=True)
    return panel


def _bars(times: dict[str, float]) -> Panel:
    """Draw times as bars from a common start; the longest is red."""
    panel, longest = Panel(_WIDTH, 175), max(times.values())
    panel.text(0, 14, "How long the bytes take", bold=True)
    bars = [
        Bar(name, [(time, "communication" if time == longest else "accent")], in_units(time, "s"))
        for name, time in times.items()
    ]
    draw_bars(panel, bars, top=38, pitch=47, gap=7, left=0.5, wide=_WIDTH - 2, least=1)
    return panel
