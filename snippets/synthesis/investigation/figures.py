"""Figures: the order in which to ask, what each suspect could explain, and what answers to messages and to bytes."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot

WIDTH = 640
NARROW = 340

QUESTIONS = (
    ("What has changed?", "since it was fine: a list", "ink"),
    ("Is the number real?", "no: read again, repeat it", "ink"),
    ("Is the result right?", "no: test on one rank", "ink"),
    ("Does it fit?", "no: cut, or keep less", "activations"),
    ("Do the parts add up?", "no: loader, host, disk", "ink"),
    ("Computing as planned?", "no: rate, or a late rank", "forward"),
    ("Exchange as planned?", "no: too many, or too large", "communication"),
)


def investigation_tree_panel(*, width_px: float = WIDTH) -> Panel:
    """Return the decision tree: what to ask first, and where a no leads; the first question is asked for a list.

    Args:
        width_px: width of the picture, at least 330.

    >>> investigation_tree_panel().width
    640.0
    """
    wide = width_px > 400
    box, gap, size = (270.0, 40.0, 14.0) if wide else (160.0, 14.0, 12.0)
    row, height = (52.0, 34.0) if wide else (50.0, 34.0)
    panel = Panel(width_px, row * len(QUESTIONS) + 60)
    for number, (asked, otherwise, hue) in enumerate(QUESTIONS):
        y = 4 + row * number
        panel.rectangle(2, y, box, height, colour=hue, strength=0.2)
        panel.text(
            2 + box / 2, y + height / 2, asked, anchor="middle", middle=True, size=size if wide else 11, bold=True
        )
        panel.arrow(2 + box + 2, y + height / 2, 2 + box + gap - 2, y + height / 2)
        panel.text(2 + box + gap + (4 if wide else 0), y + height / 2, otherwise, middle=True, size=size)
        panel.arrow(2 + box / 2, y + height + 1, 2 + box / 2, y + row - 1)
        if number:
            panel.text(2 + box / 2 + 8, y + (height + row) / 2, "yes", middle=True, size=12)
    y = 4 + row * len(QUESTIONS)
    panel.text(2 + box / 2, y + 14, "It runs as planned.", anchor="middle", size=size, bold=True)
    panel.text(2, y + 42, "At each no: one change. Predict, then measure.", size=13 if wide else 12)
    return panel


def late_rank_panel(
    *, computing_s: Sequence[float], exchange_s: float, idle_s: Sequence[float] = (), width_px: float = WIDTH
) -> Panel:
    """Return a row for each rank: idle, its computing, its waiting inside the all-reduce, and the exchange itself.

    Args:
        computing_s: of each rank.
        exchange_s: from when the last rank has come.
        idle_s: of each rank before it computes, for instance for data; empty if none is idle.
        width_px: width of the picture.

    >>> late_rank_panel(computing_s=[6, 8], exchange_s=1).height
    144.0
    """
    idle = tuple(idle_s) or (0,) * len(computing_s)
    last = max(map(sum, zip(idle, computing_s, strict=True)))
    scale = (width_px - 66) / (last + exchange_s)
    panel = Panel(width_px, 46 * len(computing_s) + 52)
    for rank, own in enumerate(computing_s):
        y = 26 + 46 * rank
        parts = [("idle", idle[rank], "accent", 0.15), ("computes", own, "forward", 0.5)]
        parts.append(("waits", last - own - idle[rank], "muted", 0.3))
        parts.append(("" if scale * exchange_s < 70 else "exchanges", exchange_s, "communication", 0.5))
        panel.text(2, y + 15, f"rank {rank}", middle=True, size=13)
        x = 56.0
        for name, seconds, colour, strength in parts:
            panel.rectangle(x, y, seconds * scale, 30, colour=colour, strength=strength)
            if seconds:
                panel.text(x + seconds * scale / 2, y + 15, name, anchor="middle", middle=True, size=12)
            x += seconds * scale
    y = 46 * len(computing_s) + 20
    panel.line(56 + last * scale, 20, 56 + last * scale, y, colour="accent", dashed=True)
    panel.text(56 + last * scale, 12, "last arrives", anchor="middle", size=12, colour="accent")
    for second in sorted({0, *idle, *computing_s, last, last + exchange_s}):
        panel.line(56 + second * scale, y, 56 + second * scale, y + 6, colour="muted")
        panel.text(56 + second * scale, y + 22, f"{second:g} s", anchor="middle", size=12)
    return panel


def suspects_panel(suspects: Sequence[tuple[str, float]], *, excess_s: float, width_px: float = WIDTH) -> Panel:
    """Return one bar for each suspect, what it could explain at most, beside the excess.

    Args:
        suspects: name and the most seconds that it could explain.
        excess_s: what there is to explain.
        width_px: width of the picture.

    >>> suspects_panel([("a slow node", 0.1)], excess_s=0.8).height
    96.0
    """
    longest = max([excess_s, *(most for _, most in suspects)])
    scale = (width_px - 70) / longest
    panel = Panel(width_px, 48 * len(suspects) + 48)
    for number, (name, most) in enumerate(suspects):
        y = 34 + 48 * number
        panel.text(2, y, name, size=13)
        panel.rectangle(2, y + 6, most * scale, 18, colour="communication", strength=0.45)
        panel.text(8 + most * scale, y + 15, f"{most:.2f} s", middle=True, size=12)
    x = 2 + excess_s * scale
    panel.line(x, 20, x, 48 * len(suspects) + 34, colour="accent", dashed=True)
    panel.text(
        min(x, width_px - 4), 14, f"to explain: {excess_s:.2f} s", anchor="end", size=13, bold=True, colour="accent"
    )
    return panel


def answers_plot(
    curves: Sequence[tuple[str, str, Sequence[tuple[float, float]]]],
    *,
    label_mib: float,
    dots: Sequence[tuple[float, float, str]],
    width_px: float = WIDTH,
) -> Panel:
    """Return seconds of a step's all-reduces against the size of one of them, on logarithmic axes.

    Args:
        curves: name, colour, and points: MiB of a message, seconds of all; solid is the one named measured.
        label_mib: where each curve's name stands: below a dashed one, above the solid one.
        dots: MiB, seconds and a label.
        width_px: width of the picture.
    """
    across = Axis(2**-5, 2**14, "log", label="MiB of one all-reduce", ticks=(0.5, 8, 128, 2048))
    up = Axis(0.02, 40, "log", ticks=(0.05, 0.2, 1, 5, 20))
    plot = Plot(across, up, title="All-reduces of a step, s", width_px=width_px)
    for name, colour, points in curves:
        plot.curve(points, colour=colour, width=2.5, dashed=name != "measured")
        for mib, seconds in points:
            if mib == label_mib:
                lower = -8 if name == "measured" else 16
                plot.panel.text(plot.x(mib), plot.y(seconds) + lower, name, size=12, anchor="middle")
    for mib, seconds, label in dots:
        plot.dots([(mib, seconds)], colour="accent", radius=5)
        plot.panel.text(plot.x(mib) + 9, plot.y(seconds) - 6, label, size=12, bold=True)
    return plot.panel
