"""Drawings: a ladder of memory levels, a path, networks cut in half, messages that cross, steps, what each GPU has."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from snippets.domain import each, nonnegative_number, positive_integer, positive_number, text
from snippets.drawing import Anchor, Panel
from snippets.foundations.hierarchy.memory_levels import MEMORY_LEVELS, MemoryLevel
from snippets.live.axes import Axis, Plot
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.live.knobs import in_units
from snippets.palette import rank

WIDTH = 344.0
_NAMES, _ROW, _TOP, _END = 132.0, 24.0, 30.0, 272.0


def ladder_panel(levels: Sequence[MemoryLevel | str] = tuple(MEMORY_LEVELS)) -> Panel:
    """Draw what one GPU gets of each level in a second, a dot for each on a logarithmic axis.

    Args:
        levels: names in ``MEMORY_LEVELS`` or levels of your own, in the order in which they are drawn.

    Returns:
        A panel with a row for each level.

    >>> ladder_panel(["HBM"]).width
    344.0
    """
    found = [MEMORY_LEVELS.find(level) for level in levels]
    rows = {level.name: level.bandwidth_bytes_per_s for level in found}
    return _dots_panel(
        "Bandwidth for one GPU", rows, Axis(1e7, 1e16, "log", "", "B/s", ticks=(1e9, 1e12, 1e15)), digits=3
    )


def latency_panel(levels: Sequence[MemoryLevel | str] = tuple(MEMORY_LEVELS)) -> Panel:
    """Draw how long the first byte of each level takes, where a source says so, on a logarithmic axis.

    Args:
        levels: names in ``MEMORY_LEVELS`` or levels of your own, in the order in which they are drawn.

    Returns:
        A panel with a row for each level that lists a latency, which is written with two digits.

    >>> latency_panel(["HBM", "L2"]).width
    344.0
    """
    found = [MEMORY_LEVELS.find(level) for level in levels]
    rows = {level.name: level.latency_s for level in found if level.latency_s is not None}
    if not rows:
        raise ValueError(f"levels must list a latency for one at least, got {levels!r}")
    return _dots_panel(
        "Time to the first byte", rows, Axis(1e-9, 10, "log", "", "s", ticks=(1e-8, 1e-5, 1e-2)), digits=2
    )


def _dots_panel(title: str, rows: Mapping[str, float], axis: Axis, *, digits: int) -> Panel:
    """Draw a dot with its value for each name, on a logarithmic axis."""
    panel = Panel(WIDTH, _TOP + _ROW * len(rows) + 22)
    bottom = _TOP + _ROW * len(rows)

    def x(value: float) -> float:
        return _NAMES + axis.share(value) * (_END - _NAMES)

    panel.text(0, 14, title, bold=True)
    for tick in axis.marks():
        panel.line(x(tick), _TOP - 6, x(tick), bottom, colour="line")
        panel.text(x(tick), bottom + 15, in_units(tick, axis.unit), anchor="middle", colour="muted", size=12)
    for row, (name, value) in enumerate(rows.items()):
        y = _TOP + _ROW * row + _ROW / 2
        panel.text(_NAMES - 8, y, _short(name), anchor="end", size=12, middle=True)
        panel.line(_NAMES, y, _END, y, colour="line")
        panel.dots([(x(value), y)], colour="accent", radius=4.5)
        panel.text(WIDTH - 1, y, in_units(value, axis.unit, digits=digits), anchor="end", size=12, middle=True)
    return panel


def _short(name: str) -> str:
    return {
        "L1 and shared memory": "L1, shared memory",
        "HBM of the node's other GPUs": "other GPUs' HBM",
        "memory of another node": "another node",
        "object store, one request": "object store",
    }.get(name, name)


def bandwidth_path_panel(stages: Mapping[str, float], *, title: str) -> Panel:
    """Draw the links of a path as pipes, as high as the logarithm of what they carry; the narrowest is red.

    Args:
        stages: each link's name and its bytes a second for this transfer, in the order of the path; up to five.
        title: written above.

    Returns:
        A panel, 156 pixels high.

    >>> bandwidth_path_panel({"PCIe": 63e9, "port": 50e9}, title="a path").height
    156.0
    """
    if not isinstance(stages, Mapping) or not 1 <= len(stages) <= 5:
        raise ValueError(f"stages must be one to five names with their rates, got {stages!r}")
    rates = [positive_number("stages", rate) for rate in stages.values()]
    panel, step, least = Panel(WIDTH, 156), (WIDTH - 8) / len(stages), min(rates)
    panel.text(0, 14, text("title", title), bold=True)
    for place, (name, rate) in enumerate(zip(stages, rates, strict=True)):
        high = 10 + 22 * max(0.0, math.log10(rate / least))
        x, narrow = 4 + step * place, rate == least
        colour = "communication" if narrow else "accent"
        panel.rectangle(x, 72 - high / 2, step, high, colour=colour, strength=0.5 if narrow else 0.22)
        panel.text(x + step / 2, 131, text("stages", name), anchor="middle", size=12)
        panel.text(x + step / 2, 148, in_units(rate, "B/s"), anchor="middle", size=12, bold=narrow)
    return panel


def tree_panel(
    *, leaves: int, hosts_per_leaf: int, spines: int, cables: int, half: Collection[int], title: str
) -> Panel:
    """Draw a small two-level fat tree, the hosts of one half in the one colour, the others in another, cut links red.

    Args:
        leaves: leaf switches.
        hosts_per_leaf: hosts below each; at most 16 hosts in all.
        spines: spine switches, drawn above the leaves.
        cables: links between each leaf and each spine.
        half: the hosts of the one half, where whole leaves belong to it; with all hosts in it, nothing is cut.
        title: written above.

    Returns:
        A panel with the switches above and the hosts below.

    >>> tree_panel(leaves=2, hosts_per_leaf=2, spines=1, cables=1, half=[0, 1], title="four").width
    344.0
    """
    leaves, below = positive_integer("leaves", leaves), positive_integer("hosts_per_leaf", hosts_per_leaf)
    spines, cables = positive_integer("spines", spines), positive_integer("cables", cables)
    if leaves * below > 16:
        raise ValueError(f"hosts_per_leaf must be at most {16 // leaves} for {leaves} leaves, got {below}")
    chosen = {positive_integer("half", host + 1) - 1 for host in half}
    panel = Panel(WIDTH, 196)
    panel.text(0, 14, text("title", title), bold=True)
    leaf_x = [WIDTH * (leaf + 0.5) / leaves for leaf in range(leaves)]
    spine_x = [WIDTH * (spine + 0.5) / spines for spine in range(spines)]
    parted = len(chosen) < leaves * below
    inside = [parted and set(range(leaf * below, leaf * below + below)) <= chosen for leaf in range(leaves)]
    for leaf, x in enumerate(leaf_x):
        for top in spine_x:
            for cable in range(cables):
                shift = 6 * (cable - (cables - 1) / 2)
                # the switches above stand with the half that is not chosen, so that these links are cut
                panel.line(x + shift, 104, top + shift, 56, colour="communication" if inside[leaf] else "muted")
        panel.rectangle(x - 26, 104, 52, 22, colour="ink", label="leaf")
        for host in range(below):
            place = x + WIDTH / leaves * ((host + 0.5) / below - 0.5)
            colour = rank(0) if leaf * below + host in chosen else rank(2)
            panel.line(x, 126, place, 156, colour="muted")
            panel.rectangle(place - 11, 156, 22, 20, colour=colour, label=str(leaf * below + host))
    for x in spine_x:
        panel.rectangle(x - 28, 34, 56, 22, colour="ink", label="spine")
    return panel


def torus_panel(*, side: int, half: Collection[int], title: str) -> Panel:
    """Draw a square torus of two dimensions; links that part the half from the rest are red.

    Args:
        side: hosts along each dimension, 2 to 6.
        half: hosts of the one half; host 0 is at the top left, 1 to its right.
        title: written above.

    Returns:
        A panel with the hosts on a grid.

    >>> torus_panel(side=4, half=range(8), title="4 × 4").width
    344.0
    """
    side = positive_integer("side", side)
    if not 2 <= side <= 6:
        raise ValueError(f"side must be from 2 to 6, got {side}")
    chosen = {positive_integer("half", host + 1) - 1 for host in half}
    step, left, top = 56.0, 60.0, 62.0
    panel = Panel(WIDTH, top + step * (side - 1) + 52)
    panel.text(0, 14, text("title", title), bold=True)
    for row in range(side):
        for column in range(side):
            here, x, y = row * side + column, left + step * column, top + step * row
            for other, dx, dy in (
                (row * side + (column + 1) % side, 1, 0),
                ((row + 1) % side * side + column, 0, 1),
            ):
                colour = "communication" if (here in chosen) != (other in chosen) else "muted"
                edge = 13 * dx + 11 * dy  # half of a box, so that no line runs through a number
                if (column if dx else row) + 1 < side:
                    far = step - edge
                    panel.line(x + dx * edge, y + dy * edge, x + dx * far, y + dy * far, colour=colour)
                else:  # back to the other end, as two stubs
                    panel.line(x + dx * edge, y + dy * edge, x + dx * 34, y + dy * 34, colour=colour)
                    back_x, back_y = (left, y) if dx else (x, top)
                    panel.line(
                        back_x - dx * edge, back_y - dy * edge, back_x - dx * 34, back_y - dy * 34, colour=colour
                    )
    for host in range(side * side):
        x, y = left + step * (host % side), top + step * (host // side)
        panel.rectangle(x - 13, y - 11, 26, 22, colour=rank(0 if host in chosen else 2), label=str(host))
    return panel


def share_plot(curves: Mapping[str, Sequence[tuple[float, float]]]) -> Panel:
    """Plot what each GPU can send into the other half against the number of GPUs.

    Args:
        curves: a name, and its points: GPUs, and bytes a second for each GPU.

    Returns:
        A panel with both axes logarithmic.

    >>> share_plot({"tree": [(64, 50e9), (4096, 50e9)]}).width
    344.0
    """
    if not isinstance(curves, Mapping) or not curves:
        raise ValueError(f"curves must be names with points, got {curves!r}")
    plot = Plot(
        Axis(40, 50_000, "log", "GPUs or chips", ticks=(64, 512, 4096, 32768)),
        Axis(1, 200, "log", "GB/s into the other half, for each", ticks=(1, 10, 100)),
        title="What the worst halving leaves",
        width_px=WIDTH,
        height_px=270,
    )
    for number, (name, points) in enumerate(curves.items()):
        colour = ("accent", "muted", "communication", "optimizer")[number % 4]
        scaled = [(gpus, rate / 1e9) for gpus, rate in points]
        plot.curve(scaled, colour=colour)
        plot.dots(scaled, colour=colour, radius=3)
        level, first = scaled[0][1] == scaled[-1][1], not number
        x, rate = scaled[-1 if first else 0 if level else len(scaled) // 2]
        dx, dy = (-4, -8) if first else (8, 16) if level else (8, -8)  # where no other line runs
        anchor: Anchor = "end" if first else "start"
        plot.panel.text(plot.x(x) + dx, plot.y(rate) + dy, name, anchor=anchor, colour=colour, size=12)
    return plot.panel


def leaf_messages_panel(
    messages: Sequence[tuple[int, int]],
    *,
    leaves: int,
    hosts_per_leaf: int,
    title: str,
    drawn: Collection[tuple[int, int]] | None = None,
    size: float = 1.0,
) -> Panel:
    """Draw messages between hosts as arcs below them, red where they leave a leaf; above each leaf, how much goes up.

    Args:
        messages: pairs of hosts, from and to, all of the same size.
        leaves: leaf switches.
        hosts_per_leaf: hosts below each; at most 16 hosts in all.
        title: written above.
        drawn: the messages that are drawn, where not all are.
        size: of one message, in the unit of what is written above the leaves, with two digits.

    Returns:
        A panel with the leaves above, the hosts below them, and the arcs below these.

    >>> leaf_messages_panel([(0, 1), (1, 2), (2, 3), (3, 0)], leaves=2, hosts_per_leaf=2, title="a ring").width
    344.0
    """
    leaves, below = positive_integer("leaves", leaves), positive_integer("hosts_per_leaf", hosts_per_leaf)
    hosts = leaves * below
    if hosts > 16:
        raise ValueError(f"hosts_per_leaf must be at most {16 // leaves} for {leaves} leaves, got {below}")
    pairs = [_message("messages", message, hosts) for message in messages]
    arcs = pairs if drawn is None else [_message("drawn", message, hosts) for message in drawn]
    unit = positive_number("size", size)
    panel = Panel(WIDTH, 176)
    panel.text(0, 14, text("title", title), bold=True)
    wide = WIDTH / leaves

    def x(host: int) -> float:
        return wide * (host // below) + wide * (host % below + 0.5) / below

    for leaf in range(leaves):
        up = sum(start // below == leaf != stop // below for start, stop in pairs)
        middle = wide * (leaf + 0.5)
        panel.text(middle, 38, f"{up * unit:.2g} up", anchor="middle", size=12, bold=True, colour="communication")
        panel.line(middle, 43, middle, 56, colour="communication")
        panel.rectangle(middle - 26, 56, 52, 20, colour="ink", label="leaf")
    for host in range(hosts):
        panel.line(wide * (host // below + 0.5), 76, x(host), 90, colour="muted")
        panel.rectangle(x(host) - 11, 90, 22, 20, colour=rank(0), label=str(host))
    for start, stop in arcs:
        left, right = x(start), x(stop)
        deep = 10 + 46 * abs(right - left) / WIDTH
        colour = "muted" if start // below == stop // below else "communication"
        # from a little inside of both boxes, so that an arc that comes and one that goes do not meet
        side = 5 if right > left else -5
        left, right = left + side, right - side
        places = [
            (left + (right - left) * part / 12, 112 + deep * 4 * part / 12 * (1 - part / 12)) for part in range(13)
        ]
        panel.curve(places[:-1], colour=colour, width=1.5)
        panel.arrow(*places[-2], *places[-1], colour=colour)
    return panel


def _message(name: str, message: tuple[int, int], hosts: int) -> tuple[int, int]:
    """Return two different hosts, or raise ``ValueError``."""
    ends = tuple(message) if isinstance(message, tuple | list) else ()
    if len(ends) != 2 or ends[0] == ends[1] or any(type(end) is not int or not 0 <= end < hosts for end in ends):
        raise ValueError(f"{name} must be pairs of two different hosts below {hosts}, got {message!r}")
    return ends[0], ends[1]


def steps_panel(steps: Mapping[str, Sequence[float]], *, width_px: float = WIDTH) -> Panel:
    """Draw steps as bars on one axis of time: what they compute, what a ring takes, and what an all-to-all takes.

    Args:
        steps: a name, and the seconds of its three parts, the last ones at least 0.
        width_px: of the panel.

    Returns:
        A panel with a bar for each step and a key to the colours.

    >>> steps_panel({"now": (4, 0.5, 0)}).width
    344.0
    """
    if not isinstance(steps, Mapping) or not steps:
        raise ValueError(f"steps must be names with the seconds of three parts, got {steps!r}")
    wide, colours = positive_number("width_px", width_px), ("accent", "optimizer", "communication")
    bars = []
    for name, parts in steps.items():
        seconds = each("steps", parts, nonnegative_number)
        if len(seconds) != 3:
            raise ValueError(f"steps must have three parts each, got {parts!r}")
        said = in_units(sum(seconds), "s")
        bars.append(Bar(text("steps", name), list(zip(seconds, colours, strict=True)), said))
    panel = Panel(wide, 32 + 44 * len(bars))
    draw_key(panel, dict(zip(colours, ("computing", "ring", "all-to-all"), strict=True)), step=min(110, wide / 3))
    draw_bars(panel, bars, top=40, pitch=44, gap=6, high=18, wide=wide - 2)
    return panel
