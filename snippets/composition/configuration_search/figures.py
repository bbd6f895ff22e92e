"""Figures: layouts by time and memory with their front, errors by kind, predicted beside measured, regret by runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from snippets.composition.configuration_search.formulas import pareto_front
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.palette import rank

WIDTH = 520
NARROW = 340
_HUES = {1: rank(0), 2: rank(1), 4: rank(2), 8: rank(3), 16: rank(5)}
_WAYS = {"any": "idle", "best": "communication", "best of each kind": "optimizer", "corrected": "accent"}
_BESIDE = {"best": (7, -8), "corrected": (-13, 18)}  # the second run's number, pixels
_WAY_NAMES = {
    "any": "any of them",
    "best": "the best predicted",
    "best of each kind": "the best of each t",
    "corrected": "the same, corrected",
}


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


def errors_plot(ratios: Mapping[int, Sequence[float]], *, most_percent: float, width_px: float = WIDTH) -> Panel:
    """Plot by how much each layout of a job ran slower than predicted, one column for each t, with its median.

    Args:
        ratios: measured over predicted of the layouts of each t.
        most_percent: where the axis ends; what is beyond it is written at the top.
        width_px: of the picture.

    Returns:
        The picture.
    """
    ends = 0.68 * min(ratios), max(ratios) / 0.68
    plot = Plot(
        Axis(*ends, "log", label="layouts with t =", ticks=tuple(ratios)),
        Axis(-10, most_percent, ticks=tuple(range(-10, int(most_percent) + 1, 10))),
        title="Slower than predicted, %",
        width_px=width_px,
        height_px=270,
    )
    plot.curve([(ends[0], 0), (ends[1], 0)], colour="muted", width=1, dashed=True)
    for t, found in ratios.items():
        percent = sorted(100 * (ratio - 1) for ratio in found)
        middle = median(percent)
        plot.curve([(0.78 * t, middle), (t / 0.78, middle)], colour="accent", width=3)
        inside = [each for each in percent if each <= most_percent]
        places = [(t * 0.84 ** (1 - 2 * place / len(inside)), each) for place, each in enumerate(inside)]
        plot.dots(places, colour="ink", radius=3)
        for beyond in percent[len(inside) :]:
            plot.panel.text(plot.x(t), plot.top + 11, f"↑ {beyond:.0f}%", anchor="middle", size=12)
        label = f"{middle:+.0f}%".replace("-", "−")
        plot.panel.text(plot.x(t), plot.y(middle) - 12, label, anchor="middle", bold=True, size=12, colour="accent")
    return plot.panel


def measured_plot(
    predicted_s: Sequence[float],
    measured_s: Sequence[float],
    tensor: Sequence[int],
    *,
    named: Mapping[int, str],
    width_px: float = WIDTH,
) -> Panel:
    """Plot measured against predicted steps of one job, each written as its t.

    Args:
        predicted_s: of each layout.
        measured_s: of the same.
        tensor: t of each.
        named: which of them have a frame, and what to write beside it.
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
    plot.panel.text(plot.right, plot.y(21.6), "as predicted", anchor="end", colour="muted", size=12)
    for x, y, t in sorted(zip(predicted_s, measured_s, tensor, strict=True), key=lambda each: -each[2]):
        plot.panel.text(plot.x(x), plot.y(y), str(t), anchor="middle", middle=True, bold=True, colour=_HUES[t])
    for place, name in named.items():
        x, y = plot.x(predicted_s[place]), plot.y(measured_s[place])
        ring = [(x - 9, y - 9), (x + 9, y - 9), (x + 9, y + 9), (x - 9, y + 9), (x - 9, y - 9)]
        plot.panel.curve(ring, colour="accent", width=1.5)
        plot.panel.text(x + 6, y + 23, name, colour="accent", size=12, bold=True)
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
        Axis(-2, most_percent, ticks=tuple(range(0, int(most_percent) + 1, 5))),
        title="Slower than the best, % on average",
        width_px=width_px,
        height_px=280,
    )
    for row, (way, shares) in enumerate(regrets.items()):
        points = [(float(place), 100 * share) for place, share in enumerate(shares, 1)]
        plot.curve(points, colour=_WAYS[way], dashed=way == "any")
        plot.dots([point for point in points if point[1] <= most_percent], colour=_WAYS[way], radius=4)
        y = plot.top + 18 + 20 * row
        plot.panel.line(plot.right - 152, y - 4, plot.right - 130, y - 4, colour=_WAYS[way], dashed=way == "any")
        plot.panel.text(plot.right - 124, y, _WAY_NAMES[way], size=12)
    for way, (right, down) in _BESIDE.items():
        if way in regrets and runs > 1:
            share = regrets[way][1]
            at = plot.x(2) + right, plot.y(100 * share) + down
            plot.panel.text(*at, f"{100 * share:.1f}%", colour=_WAYS[way], size=12, bold=True)
    return plot.panel
