"""Drawings: a two-level fat tree cut in half, with the links that its halves have left."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.foundations.hierarchy.formulas import fat_tree_bisection_bytes_per_s, oversubscription, path_time_s
from snippets.hardware import bits_to_bytes_per_s
from snippets.live.bars import Bar, draw_bars
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number, in_units

_WIDTH, _MIDDLE, _MOST = 340.0, 130.0, 32
_MOST_BOXES = 64


@live_figure(
    title="Cut a network in half",
    caption="Each column is a leaf switch: its GPUs hang below, its cables to the spine switches stand above (one box "
    "for each, while they are few). The first half of the GPUs sends to the second; the cables that its bytes take are "
    "red. Take cables away until there are fewer of them than GPUs: which of the first two bars decides?",
    knobs=[
        Number("leaves", "Leaf switches J", 4, 2, _MOST, 2),
        Number("hosts_per_leaf", "GPUs below each, G", 2, 1, _MOST, 1),
        Number("uplinks_per_leaf", "Cables up from each, U", 2, 1, _MOST, 1),
        Number("gigabits_per_s", "Link, in Gb/s", 400, 100, 800, 100),
    ],
    named=[
        Named(
            "Two cables up",
            "Four GPUs can send 200 GB/s, and the four cables of their leaves carry as much.",
            {"uplinks_per_leaf": 2},
        ),
        Named("A single cable up", "The two cables of the first half carry 100 GB/s: the cut, not the ports, decides.",
              {"uplinks_per_leaf": 1}),
        Named("The question's network A", "As many cables as GPUs: 25.6 TB/s, and 10 GB from each take 200 ms.",
              {"leaves": 32, "hosts_per_leaf": 32, "uplinks_per_leaf": 32}),
        Named("The question's network B", "A quarter of the cables leaves a quarter: 6.4 TB/s, and 800 ms.",
              {"leaves": 32, "hosts_per_leaf": 32, "uplinks_per_leaf": 8}),
        Named("The 70B on 256 GPUs", "With as many cables as GPUs, half of the 256 can send 6.4 TB/s to the others.",
              {"leaves": 8, "hosts_per_leaf": 32, "uplinks_per_leaf": 32}),
    ],
    opens="The question's network B",
)  # fmt: skip
def halved_tree(*, leaves: int, hosts_per_leaf: int, uplinks_per_leaf: int, gigabits_per_s: float) -> Picture:
    """Draw the leaves with their links up and down, and what of them the first half can use."""
    rate = bits_to_bytes_per_s(gigabits_per_s * 1e9)
    gpus, half = leaves * hosts_per_leaf, leaves // 2
    ports, cables = half * hosts_per_leaf * rate, half * uplinks_per_leaf * rate
    cut = fat_tree_bisection_bytes_per_s(
        leaves=leaves, hosts_per_leaf=hosts_per_leaf, uplinks_per_leaf=uplinks_per_leaf, link_bytes_per_s=rate
    )
    senders = half * hosts_per_leaf
    time = path_time_s(size_bytes=10e9 * senders, bandwidths_bytes_per_s=[ports, cables])
    ratio = oversubscription(hosts_per_leaf=hosts_per_leaf, uplinks_per_leaf=uplinks_per_leaf)
    numbers = (
        f"{gpus:,} GPUs. The {senders:,} of the first half can send {in_units(ports, 'B/s')}, the cables of their "
        f"leaves carry {in_units(cables, 'B/s')}: the bisection bandwidth is {in_units(cut, 'B/s')}, one way. If each "
        f"sends 10 GB to the other half, that takes {in_units(time, 's')}. Links down over links up: {ratio:.3g}."
    )
    alt = (
        f"First: {leaves} columns, a bar of {hosts_per_leaf} below and of {uplinks_per_leaf} above a line, cut by a "
        f"dashed line in the middle. Second: bars of {in_units(ports, 'B/s')} for ports, {in_units(cables, 'B/s')} for "
        f"the cables and {in_units(cut, 'B/s')} for the bisection."
    )
    bars = {"ports of the first half": ports, "cables of its leaves": cables, "bisection bandwidth": cut}
    return Picture([_columns(leaves, hosts_per_leaf, uplinks_per_leaf), _bars(bars)], numbers, alt)


def _columns(leaves: int, below: int, above: int) -> Panel:
    """Draw a column for each leaf, with bars as long as it has links."""
    panel = Panel(_WIDTH, 250)
    panel.text(0, 14, "Leaves, with cables up and GPUs down", bold=True)
    unit, step = 90 / max(below, above, 4), (_WIDTH - 20) / leaves
    apart = leaves * (below + above) <= _MOST_BOXES  # a box for each link, or one for all

    def stacked(x: float, wide: float, links: int, way: int) -> list[tuple[float, float, float, float]]:
        high = unit if apart else unit * links
        tops = [_MIDDLE + way * (6 + high * box) - (high if way < 0 else 0) for box in range(links if apart else 1)]
        return [(x, top, wide, high) for top in tops]

    for name, first, last, colour in (("first", 0, leaves // 2, "rank-0"), ("second", leaves // 2, leaves, "rank-1")):
        places = [(10 + step * leaf + step * 0.15, step * 0.7) for leaf in range(first, last)]
        up = [box for x, wide in places for box in stacked(x, wide, above, -1)]
        down = [box for x, wide in places for box in stacked(x, wide, below, 1)]
        panel.rectangles(up, colour="communication" if first == 0 else "muted", strength=0.35)
        panel.rectangles(down, colour=colour, strength=0.5)
        panel.text(10 + step * (first + last) / 2, 244, f"{name} half", anchor="middle", size=12)
    panel.rectangle(6, _MIDDLE - 4, _WIDTH - 12, 8, colour="ink")
    panel.line(_WIDTH / 2, 22, _WIDTH / 2, 228, colour="ink", dashed=True)
    return panel


def _bars(rates: dict[str, float]) -> Panel:
    """Draw rates as bars from a common start."""
    panel = Panel(_WIDTH, 175)
    panel.text(0, 14, "From the first half to the second", bold=True)
    colours = ("rank-0", "communication", "accent")
    bars = [
        Bar(f"{name}: {in_units(rate, 'B/s')}", [(rate, colour)])
        for (name, rate), colour in zip(rates.items(), colours, strict=True)
    ]
    draw_bars(panel, bars, top=38, pitch=47, gap=7, left=0.5, wide=_WIDTH - 2)
    return panel
