"""Drawings: a cluster with links tinted by load, what each kind of link carries, times against size, tori."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from snippets.collectives.topology.formulas import all_reduce_dimension_bytes
from snippets.collectives.topology.link_network import LinkNetwork, fair_rates, schedule_loads
from snippets.domain import each, nonnegative_number, positive_integer, positive_number, text
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.knobs import in_units
from snippets.palette import rank

WIDTH = 330.0  # two stand side by side
_SHOWN = 2  # nodes that are drawn
_LINK_PX = 34.0


def cluster_panel(
    cluster: LinkNetwork, loads: Mapping[str, float], *, title: str, full_s: float | None = None
) -> Panel:
    """Draw the first two nodes of a cluster; a link is the redder, the longer its bytes take.

    Args:
        cluster: with a port for each GPU.
        loads: bytes by the names of links; those of the first two nodes are drawn.
        title: written above.
        full_s: the time at which a link is fully red, above 0; by default that of the busiest one drawn.

    Returns:
        A panel: GPUs as boxes, above each its port (left half: out, right half: in), below each its link inside.

    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=9, port_bytes_per_s=1)
    >>> cluster_panel(pair, {"port 0 out": 3}, title="two nodes").width
    330.0
    """
    bandwidths = cluster.bandwidths
    times = {link: nonnegative_number("loads", load) / bandwidths[link] for link, load in loads.items()}
    most = max(times.values(), default=0) or 1.0
    if full_s is not None:
        most = positive_number("full_s", full_s)
    width = WIDTH
    shown, g = min(cluster.nodes, _SHOWN), cluster.gpus_per_node
    panel = Panel(width, 210)
    panel.text(0, 14, text("title", title), bold=True)
    panel.rectangle(0.5, 28, width - 1, 20, colour="ink", label=f"network of {cluster.nodes} nodes", strength=0.05)
    step = (width - 8) / shown
    box = min(44.0, (step - 20) / g)
    for node in range(shown):
        left = 4 + step * node + (step - box * g) / 2
        panel.rectangle(left - 6, 88, box * g + 12, 98, colour="muted", strength=0.06)
        panel.rectangle(left - 2, 160, box * g + 4, 18, colour="ink", label=f"node {node}", strength=0.05)
        for gpu in range(g):
            number, x = node * g + gpu, left + box * gpu
            label = str(number) if box >= 20 or (box >= 16 and gpu in (0, g - 1)) else ""
            panel.rectangle(x + 1, 98, box - 2, 24, colour=rank(number), label=label)
            for kind, name, top in (("port", number, 50.0), ("gpu", number, 124.0)):
                half = min(11.0, (box - 4) / 2)
                for place, way in enumerate(("out", "in")):
                    share = min(1.0, times.get(f"{kind} {name} {way}", 0) / most)
                    spot = x + box / 2 + (place - 1) * half
                    panel.rectangle(spot, top, half, _LINK_PX if kind == "gpu" else 46, colour=_glow(share),
                                    strength=0.85 * share)  # fmt: skip
    panel.text(0, 205, "a link's halves: out, in", colour="muted", size=12)
    said = f"full red: {in_units(most if times else 0, 's')}"
    panel.text(width, 205, said, colour="muted", size=12, anchor="end")
    return panel


def _glow(share: float) -> str:
    return "communication" if share > 0 else "line"


def class_bars_panel(times_s: Mapping[str, Mapping[str, float]], *, bound_s: float, title: str) -> Panel:
    """Draw, for each schedule, how long the busiest link of each kind needs for its bytes, and a bound as a line.

    Args:
        times_s: by schedule, by kind of link, seconds, at least 0; up to six schedules, up to two kinds.
        bound_s: drawn as a dashed line, at least 0.
        title: written above.

    Returns:
        A panel with a pair of bars for each schedule.

    >>> class_bars_panel({"one ring": {"inside": 1, "ports": 9}}, bound_s=2, title="times").width
    340.0
    """
    if not isinstance(times_s, Mapping) or not 1 <= len(times_s) <= 6:
        raise ValueError(f"times_s must hold one to six schedules, got {times_s!r}")
    bound = nonnegative_number("bound_s", bound_s)
    most = max([bound, *(nonnegative_number("times_s", t) for kinds in times_s.values() for t in kinds.values())]) or 1
    panel = Panel(340, 50 + 64 * len(times_s))
    panel.text(0, 14, text("title", title), bold=True)
    wide = 240.0
    line = wide * bound / most
    for row, (name, kinds) in enumerate(times_s.items()):
        y = 36 + 64 * row
        panel.text(0, y + 8, text("times_s", name))
        for place, (kind, time) in enumerate(kinds.items()):
            colour, top = ("accent", "communication")[place % 2], y + 15 + 19 * place
            panel.rectangle(0.5, top, max(1.0, wide * time / most), 16, colour=colour, strength=0.5)
            end = max(wide * time / most, line) + 6  # no text across the line
            panel.text(end, top + 8, f"{kind}: {in_units(time, 's')}", size=12, middle=True)
        panel.line(line, y + 12, line, y + 52, colour="ink", dashed=True)
    panel.text(0, 44 + 64 * len(times_s), f"dashed: bound of {in_units(bound, 's')}", colour="muted", size=12)
    return panel


def times_plot(
    curves: Mapping[str, Sequence[tuple[float, float]]], *, marks: Mapping[str, float] | None = None
) -> Panel:
    """Plot times against sizes, both logarithmic; the last curve is dashed.

    Args:
        curves: a name, and its points: bytes, seconds.
        marks: sizes at which a line stands, by what is written beside it.

    Returns:
        A panel for half of the column.

    >>> times_plot({"one ring": [(1e6, 0.005), (1e10, 0.4)]}).width
    340.0
    """
    if not isinstance(curves, Mapping) or not curves:
        raise ValueError(f"curves must be names with points, got {curves!r}")
    sizes = [size for points in curves.values() for size, _ in points]
    times = [time for points in curves.values() for _, time in points]
    plot = Plot(
        Axis(min(sizes), max(sizes), "log", "vector n", "B"),
        Axis(min(times) / 1.3, max(times) * 1.6, "log", "time", "s"),
        title="64 nodes of 8: time of an all-reduce",
        width_px=340,
        height_px=340,
    )
    legend = plot.top + 18 + 17 * len(curves)
    for place, (name, size) in enumerate((marks or {}).items()):
        x, y, left = plot.x(size), plot.bottom - 8 - 15 * (place % 2), place > 0
        plot.panel.line(x, legend, x, plot.bottom, colour="muted", dashed=True)
        anchor: Literal["start", "end"] = "end" if left else "start"
        plot.panel.text(x - 4 if left else x + 4, y, text("marks", name), colour="muted", size=12, anchor=anchor)
    colours = ("communication", "optimizer", "accent", "muted")
    for row, (name, points) in enumerate(curves.items()):
        colour = colours[row % 4]
        plot.curve(list(points), colour=colour, dashed=row == len(curves) - 1)
        y, last = plot.top + 20 + 17 * row, row == len(curves) - 1
        plot.panel.line(plot.left + 8, y, plot.left + 30, y, colour=colour, dashed=last)
        plot.panel.text(plot.left + 36, y + 4, text("curves", name), size=12)
    return plot.panel


def spine_panel(choices: Sequence[int], *, cables: int, title: str) -> Panel:
    """Draw a leaf switch whose flows have chosen cables, with what each flow gets of a cable.

    Args:
        choices: for each flow the cable that it has chosen, from 0; up to six.
        cables: up to six.
        title: written above.

    Returns:
        A panel: spine switches above, the leaf below, flows as arrows from the leaf's ports.

    >>> spine_panel([0, 1, 1], cables=4, title="three flows").width
    330.0
    """
    c = positive_integer("cables", cables)
    chosen = each("choices", choices, lambda name, choice: positive_integer(name, choice + 1) - 1)
    if c > 6 or len(chosen) > 6 or max(chosen, default=0) >= c:
        raise ValueError(f"choices must be up to six cables below cables = {c} (at most 6), got {choices!r}")
    rates = fair_rates([(str(choice),) for choice in chosen], {str(cable): 1.0 for cable in range(c)})
    panel = Panel(WIDTH, 190)
    panel.text(0, 14, text("title", title), bold=True)
    spine_x = [WIDTH * (cable + 0.5) / c for cable in range(c)]
    flow_x = [WIDTH * (flow + 0.5) / len(chosen) for flow in range(len(chosen))]
    for cable, x in enumerate(spine_x):
        flows = chosen.count(cable)
        panel.rectangle(x - 30, 28, 60, 20, colour="ink", label=f"spine {cable}", strength=0.05)
        panel.rectangle(x - 5, 48, 10, 48, colour="communication" if flows else "line", strength=0.4 * min(flows, 2))
    panel.rectangle(6, 96, WIDTH - 12, 34, colour="ink", strength=0.05)
    for flow, (x, choice) in enumerate(zip(flow_x, chosen, strict=True)):
        panel.arrow(x, 150, spine_x[choice] + 5 * (chosen[:flow].count(choice) - (chosen.count(choice) - 1) / 2), 97,
                    colour=rank(flow))  # fmt: skip
        panel.rectangle(x - 22, 150, 44, 20, colour=rank(flow), label={1.0: "1", 0.5: "½"}.get(rates[flow], "⅓"))
    panel.text(8, 110, "leaf", colour="muted", size=12)
    panel.text(0, 187, "below: each flow's share of a cable", colour="muted", size=12)
    return panel


def torus_parts_panel(*, side: int, phase: int, title: str) -> Panel:
    """Draw a phase of an all-reduce on a square torus in two parts: one goes along rows, the other along columns.

    Args:
        side: ranks along each dimension, 3 to 5.
        phase: 1 or 2; in the second the parts change places and are smaller.
        title: written above.

    Returns:
        A panel with arrows: dark for the part that began along rows, light for the other.

    >>> torus_parts_panel(side=3, phase=1, title="first").width
    330.0
    """
    s, phase = positive_integer("side", side), positive_integer("phase", phase)
    if not 3 <= s <= 5 or phase > 2:
        raise ValueError(f"side must be from 3 to 5 and phase 1 or 2, got {side!r} and {phase!r}")
    step, left, top = 60.0, 64.0, 58.0
    panel = Panel(WIDTH, top + step * (s - 1) + 66)
    panel.text(0, 14, text("title", title), bold=True)
    rows, columns = ("communication", "accent") if phase == 1 else ("accent", "communication")
    for row in range(s):
        for column in range(s):
            x, y = left + step * column, top + step * row
            last_x, last_y = column == s - 1, row == s - 1
            panel.arrow(x + 12, y, x + (36 if last_x else step - 12), y, colour=rows)
            panel.arrow(x, y + 10, x, y + (34 if last_y else step - 10), colour=columns)
            panel.rectangle(x - 12, y - 10, 24, 20, colour=rank(row * s + column), label=str(row * s + column))
    sizes = all_reduce_dimension_bytes(sides=[s, s], size_bytes=1)
    said = f"on each arrow, there and back: {sizes[phase - 1]:.2f} parts"
    panel.text(0, top + step * (s - 1) + 60, said, colour="muted", size=12)
    return panel


def dispatch_panel(*, once: bool, experts: int = 3) -> Panel:
    """Draw how a token reaches several experts of another node: a copy each, or one that is passed on inside.

    Args:
        once: whether it crosses once.
        experts: GPUs of the node that have one, 2 to 4.

    Returns:
        A panel with the sender at the left and a node of four GPUs at the right.

    >>> dispatch_panel(once=True).width
    330.0
    """
    if not isinstance(once, bool):
        raise ValueError(f"once must be True or False, got {once!r}")
    k = positive_integer("experts", experts)
    if not 2 <= k <= 4:
        raise ValueError(f"experts must be from 2 to 4, got {experts!r}")
    panel = Panel(WIDTH, 196)
    panel.text(0, 14, "Once to the node, then inside" if once else "A copy for each expert", bold=True)
    panel.rectangle(6, 40, 60, 140, colour="muted", strength=0.06)
    panel.rectangle(196, 40, 130, 140, colour="muted", strength=0.06)
    panel.text(36, 34, "node 0", anchor="middle", colour="muted", size=12)
    panel.text(261, 34, "node 1", anchor="middle", colour="muted", size=12)
    tops = [48 + 33 * gpu for gpu in range(4)]
    for gpu, y in enumerate(tops):
        panel.rectangle(16, y, 40, 24, colour=rank(gpu), label=str(gpu))
        panel.rectangle(206, y, 40, 24, colour=rank(4 + gpu), label=str(4 + gpu))
    for gpu in range(4 - k, 4):
        panel.text(282, tops[gpu] + 12, "expert", size=12, middle=True)
    if once:
        panel.arrow(58, tops[0] + 12, 204, tops[0] + 12, colour="communication")
        for gpu in range(max(1, 4 - k), 4):
            x = 248 + 9 * (gpu - (4 - k) + 1)
            panel.line(246, tops[0] + 8 + 3 * gpu, x, tops[0] + 8 + 3 * gpu, colour="accent")
            panel.line(x, tops[0] + 8 + 3 * gpu, x, tops[gpu] + 12, colour="accent")
            panel.arrow(x, tops[gpu] + 12, 247, tops[gpu] + 12, colour="accent")
    else:
        for gpu in range(4 - k, 4):
            panel.arrow(58, tops[0] + 12, 204, tops[gpu] + 12, colour="communication")
    return panel


def schedule_class_times_s(cluster: LinkNetwork, schedule: str, *, size_bytes: float) -> dict[str, float]:
    """Return how long the busiest link inside the nodes, and the busiest port, need for a schedule's bytes.

    Args:
        cluster: with nodes that are alike.
        schedule: one of ``link_network.SCHEDULES``.
        size_bytes: n, at least 0.

    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=8, port_bytes_per_s=1)
    >>> schedule_class_times_s(pair, "hierarchical", size_bytes=8)
    {'inside': 1.0, 'ports': 4.0}
    """
    loads = schedule_loads(cluster, schedule, size_bytes=size_bytes, first_nodes=_SHOWN)
    rates = {"gpu": cluster.node_bytes_per_s, "port": cluster.port_bytes_per_s}
    most = {kind: max((load for link, load in loads.items() if link.startswith(kind)), default=0) for kind in rates}
    return {name: most[kind] / rates[kind] for name, kind in (("inside", "gpu"), ("ports", "port"))}


def size_points(
    time: object, *, smallest: float = 1e5, largest: float = 5e10, points: int = 49
) -> list[tuple[float, float]]:
    """Return (size, time) of a function of the size, at sizes evenly spread over the decades.

    Args:
        time: a function from bytes to seconds.
        smallest: bytes, above 0.
        largest: bytes, above ``smallest``.
        points: how many, at least 2.

    >>> size_points(lambda n: 2 * n, smallest=1, largest=100, points=3)
    [(1.0, 2.0), (10.0, 20.0), (100.0, 200.0)]
    """
    if not callable(time):
        raise ValueError(f"time must be a function from bytes to seconds, got {time!r}")
    axis = Axis(smallest, largest, "log")
    count = positive_integer("points", points)
    if count < 2:
        raise ValueError(f"points must be at least 2, got {points!r}")
    sizes = [float(f"{smallest * math.exp(axis.span * place / (count - 1)):.12g}") for place in range(count)]
    return [(size, time(size)) for size in sizes]
