"""Figures: layouts by time and memory with their front, predicted beside measured steps, and regret against runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.composition.configuration_search.formulas import pareto_front
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.palette import rank

WIDTH = 520
NARROW = 340
_HUES = {1: rank(0), 2: rank(1), 4: rank(2), 8: rank(3), 16: rank(5)}
_WAYS = {"any": "idle", "best": "communication", "best of each kind": "accent"}


def front_plot(
    seconds: Sequence[float],
    gigabytes: Sequence[float],
    *,
    named: Mapping[int, str],
    most_s: float,
    most_gb: float,
    width_px: float = WIDTH,
) -> Panel:
    """Plot layouts by what the fullest GPU holds and what a step takes, and join those that nothing dominates.

    Args:
        seconds: predicted of each layout.
        gigabytes: of its fullest GPU.
        named: what to write beside which of them.
        most_s: where the axis of time ends; what takes longer is left out.
        most_gb: where that of memory ends.
        width_px: of the picture.

    Returns:
        The picture.
    """
    low = int(min(seconds)) - 0.5
    plot = Plot(
        Axis(0, most_gb, label="held by the fullest GPU, GB"),
        Axis(low, most_s, ticks=tuple(range(int(low) + 1, int(most_s) + 1))),
        title="A step, s",
        width_px=width_px,
        height_px=300,
    )
    front = pareto_front(seconds, gigabytes)
    corners: list[tuple[float, float]] = [(most_gb, seconds[front[0]])]
    for place in front:
        corners += [(gigabytes[place], corners[-1][1]), (gigabytes[place], seconds[place])]
    corners.append((corners[-1][0], most_s))
    plot.curve(corners, colour="accent", width=1.5)
    others = [place for place in range(len(seconds)) if place not in front]
    plot.dots([(gigabytes[place], seconds[place]) for place in others], colour="idle", radius=3)
    plot.dots([(gigabytes[place], seconds[place]) for place in front], colour="accent", radius=4.5)
    for place, name in named.items():
        x, y = plot.x(gigabytes[place]), plot.y(seconds[place])
        if place not in front:
            plot.dots([(gigabytes[place], seconds[place])], colour="ink", radius=4.5)
        plot.panel.text(x - 5, y + 17, name, anchor="end", bold=True)
    return plot.panel


def measured_plot(
    predicted_s: Sequence[float], measured_s: Sequence[float], tensor: Sequence[int], *, width_px: float = WIDTH
) -> Panel:
    """Plot measured against predicted steps of one job, each written as its t.

    Args:
        predicted_s: of each layout.
        measured_s: of the same.
        tensor: t of each.
        width_px: of the picture.

    Returns:
        The picture: a line where both are equal, and a dashed one 10% above it.
    """
    low, high = 12.0, 29.0
    plot = Plot(
        Axis(low, high, label="predicted, s", ticks=(12, 16, 20, 24, 28)),
        Axis(low, high, ticks=(12, 16, 20, 24, 28)),
        title="Measured, s: each layout by its t",
        width_px=width_px,
        height_px=340,
    )
    plot.curve([(low, low), (high, high)], colour="muted", width=1.5)
    plot.curve([(low, 1.1 * low), (high, 1.1 * high)], colour="muted", width=1, dashed=True)
    plot.panel.text(plot.right, plot.y(23.4), "as predicted", anchor="end", colour="muted", size=12)
    plot.panel.text(plot.x(25.2), plot.y(28.2) + 2, "10% slower", anchor="end", colour="muted", size=12)
    for x, y, t in sorted(zip(predicted_s, measured_s, tensor, strict=True), key=lambda each: -each[2]):
        plot.panel.text(plot.x(x), plot.y(y), str(t), anchor="middle", middle=True, bold=True, colour=_HUES[t])
    first = min(range(len(predicted_s)), key=lambda place: predicted_s[place])
    x, y = plot.x(predicted_s[first]), plot.y(measured_s[first])
    ring = [(x - 9, y - 9), (x + 9, y - 9), (x + 9, y + 9), (x - 9, y + 9), (x - 9, y - 9)]
    plot.panel.curve(ring, colour="accent", width=1.5)
    plot.panel.text(x + 8, y + 22, "predicted first", colour="accent", size=12)
    return plot.panel


def regret_plot(regrets: Mapping[str, Sequence[float]], *, most_percent: float, width_px: float = WIDTH) -> Panel:
    """Plot by how much a choice is slower than the best against how many layouts are run, for ways to choose these.

    Args:
        regrets: for each way the shares with 1, 2, 3, … runs.
        most_percent: where the axis ends.
        width_px: of the picture.

    Returns:
        The picture.
    """
    runs = max(map(len, regrets.values()))
    plot = Plot(
        Axis(0.7, runs + 0.3, label="layouts that are run", ticks=tuple(range(1, runs + 1))),
        Axis(0, most_percent),
        title="Slower than the best, % on average",
        width_px=width_px,
        height_px=280,
    )
    names = {"any": "any of them", "best": "the best predicted", "best of each kind": "the best of each t"}
    for row, (way, shares) in enumerate(regrets.items()):
        points = [(float(place), 100 * share) for place, share in enumerate(shares, 1)]
        plot.curve(points, colour=_WAYS[way], dashed=way == "any")
        plot.dots([point for point in points if point[1] <= most_percent], colour=_WAYS[way], radius=4)
        y = plot.top + 18 + 20 * row
        plot.panel.line(plot.right - 152, y - 4, plot.right - 130, y - 4, colour=_WAYS[way], dashed=way == "any")
        plot.panel.text(plot.right - 124, y, names[way], size=12)
    for way, across, down in (("best", 7, -8), ("best of each kind", -7, 13)):
        share = 100 * regrets[way][1]
        x, y = plot.x(2) + across, plot.y(share) + down
        side = "start" if across > 0 else "end"
        plot.panel.text(x, y, f"{share:.1f}%", anchor=side, size=12, bold=True, colour=_WAYS[way])
    return plot.panel
