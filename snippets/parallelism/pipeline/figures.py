"""Figures: what passes wait for, where layers lie, what devices hold, bubbles compared, predictions beside reports."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from snippets.domain import positive_integer
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.palette import rank
from snippets.parallelism.pipeline.gantt import draw_time_axis
from snippets.parallelism.pipeline.runner import Timeline, held_activations
from snippets.parallelism.pipeline.schedules import interleaved

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A schedule has the same hue and mark in every plot; names that are not here follow after these.
WIDE_PX, NARROW_PX = 690.0, 340.0  # of a page, and of a phone
_LEFT = 18.0
_LINES = ("1F1B", "GPipe", "interleaved, v = 2", "interleaved, v = 4", "ZB-H1", "ZB-H2")


def _line(name: str, number: int) -> tuple[str, str]:
    """Return the marker and colour of a schedule's line."""
    number = _LINES.index(name) if name in _LINES else len(_LINES) + number
    return "o^svDPX*"[number % 8] + "-", colour(rank(number))


def bubble_plot(
    shares: Mapping[str, Mapping[int, Any]], *, limit: float | None = None, width_px: float = 328
) -> Figure:
    """Plot the bubble as a share of the step against the number of micro-batches, a line for each schedule.

    Args:
        shares: for each schedule, the share for each number of micro-batches.
        limit: a share to mark.
        width_px: width of the plot.

    Returns:
        The plot.
    """
    with plot(width_px=width_px, height_px=300) as (figure, axes):
        for number, (name, line) in enumerate(shares.items()):
            marker, hue = _line(name, number)
            values = [100 * float(share) for share in line.values()]
            axes.plot(list(line), values, marker, color=hue, markersize=5, label=name)
        if limit is not None:
            axes.axhline(100 * limit, color=colour("muted"), linewidth=1.2, linestyle="--")
            first = min(m for line in shares.values() for m in line)
            axes.annotate(f"{limit:.0%}", (first, 100 * limit), (0, 3), textcoords="offset points", fontsize=12)
        ticks = sorted({m for line in shares.values() for m in line})
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(m) for m in ticks])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("micro-batches")
        axes.set_ylabel("bubble, % of the step")
        axes.legend(loc="upper right", fontsize=12)
    return figure


def passes_panel(*, stages: int = 3, width_px: float = WIDE_PX) -> Panel:
    """Draw the passes of one micro-batch, a column for each stage, and an arrow from each to the one that needs it.

    Args:
        stages: how many columns, at least 2.
        width_px: width of the panel.

    Returns:
        The panel.

    Example:
        >>> passes_panel(stages=2).svg().count(">F<")
        2
    """
    stages = positive_integer("stages", stages)
    column = (width_px - 2) / stages
    width, height = min(96.0, 0.42 * column), 34.0
    panel = Panel(width_px, 222)
    rows = {"F": 44.0, "B": 112.0, "W": 180.0}
    names = {"F": "forward", "B": "backward", "W": "weight-gradient"}
    lefts = [column * stage + (column - width) / 2 for stage in range(stages)]
    for stage, x in enumerate(lefts):
        panel.text(x + width / 2, 16, f"stage {stage}", anchor="middle", bold=True)
        for kind, y in rows.items():
            panel.rectangle(x, y, width, height, colour=names[kind], label=kind)
        panel.arrow(x + width / 2, rows["B"] + height, x + width / 2, rows["W"])
    for one, other in pairwise(lefts):
        panel.arrow(one + width, rows["F"] + height / 2, other, rows["F"] + height / 2)
        panel.arrow(other, rows["B"] + height / 2, one + width, rows["B"] + height / 2)
        panel.text((one + other + width) / 2, rows["F"] + 8, "output", anchor="middle", size=12)
        panel.text((one + other + width) / 2, rows["B"] + 8, "gradient", anchor="middle", size=12)
    last = lefts[-1] + width / 2
    panel.arrow(last, rows["F"] + height, last, rows["B"])
    panel.text(last + 8, (rows["F"] + height + rows["B"]) / 2, "loss", middle=True, size=12)
    return panel


def stage_layers_panel(*, devices: int, layers: int, chunks: int, title: str, width_px: float = WIDE_PX) -> Panel:
    """Draw which device has which layers, a row for each device, and the way of a forward pass through them.

    Boxes too narrow for the word "layer" have the layer's number alone.

    Args:
        devices: p.
        layers: a multiple of p·v.
        chunks: model chunks on each device, v.
        title: above the rows.
        width_px: width of the panel.

    Returns:
        The panel.

    Example:
        >>> stage_layers_panel(devices=2, layers=4, chunks=2, title="two chunks").svg().count("layer")
        4
    """
    stages = devices * chunks
    if layers % stages:
        raise ValueError(f"layers must be a multiple of devices × chunks ({stages}), got {layers}")
    (placement,) = interleaved(stages=devices, micro_batches=devices, chunks=chunks).placements
    left, top, row, box = 66.0, 28.0, 34.0, 26.0
    panel = Panel(width_px, top + row * devices + 2)
    panel.text(0, 14, title, bold=True)
    for device in range(devices):
        panel.text(0, top + row * device + box / 2, f"device {device}", middle=True, size=12)
    column = (width_px - left - 1) / layers
    each = layers // stages
    for layer in range(layers):
        x, y = left + column * layer, top + row * placement[layer // each]
        shade = 0.5 if layer // each >= devices else 0.22
        label = f"layer {layer}" if column >= 56 else str(layer)
        panel.rectangle(x + 2, y, column - 10, box, colour=rank(placement[layer // each]), label=label, strength=shade)
    for layer in range(layers - 1):
        x = left + column * (layer + 1)
        here, there = (top + row * placement[(layer + k) // each] + box / 2 for k in (0, 1))
        panel.arrow(x - 8, here, x + 2, there)
    return panel


def held_panel(
    timelines: Mapping[str, Timeline], *, until_s: float, device: int = 0, width_px: float = WIDE_PX
) -> Panel:
    """Draw how many micro-batches a device holds, from moment to moment: a line for each run, on one axis of time.

    Args:
        timelines: by name, runs with one stage on each device.
        until_s: time at the right edge.
        device: which device.
        width_px: width of the panel.

    Returns:
        The panel.
    """
    panel = Panel(width_px, 190)
    panel.text(0, 13, f"Micro-batches held on device {device}", bold=True)
    lines = {name: held_steps(line, device=device) for name, line in timelines.items()}
    most = max(int(count) for line in lines.values() for _, count in line)
    top, bottom = 34.0, 156.0
    scale, rise = (panel.width - _LEFT - 1) / until_s, (bottom - top) / most
    for tick in range(0, most + 1, 2):
        panel.line(_LEFT, bottom - tick * rise, width_px - 1, bottom - tick * rise, colour="line")
        panel.text(12, bottom - tick * rise, str(tick), anchor="end", middle=True, size=12, colour="muted")
    for number, (name, line) in enumerate(lines.items()):
        points: list[tuple[float, float]] = [(_LEFT, bottom)]
        for (start, count), (end, _) in pairwise([*line, (until_s, 0)]):
            height = bottom - count * rise
            points += [(_LEFT + start * scale, height), (_LEFT + end * scale, height)]
        panel.curve(points, colour=("ink", "activations")[number % 2], width=2.5, dashed=number % 2 == 0)
        highest, after = max(pairwise([*line, (until_s, 0)]), key=lambda at: at[0][1])
        middle, peak = _LEFT + (highest[0] + after[0]) / 2 * scale, highest[1]
        panel.text(middle, bottom - peak * rise - 7, f"{name}: at most {peak:g}", anchor="middle", size=12)
    draw_time_axis(panel, y=bottom, until_s=until_s)
    return panel


def held_steps(timeline: Timeline, *, device: int) -> list[tuple[float, float]]:
    """Return the moments at which a device holds more or fewer micro-batches, each with what it holds from then on.

    Args:
        timeline: a run with one stage on each device.
        device: which device.

    Example:
        >>> from snippets.parallelism.pipeline.runner import run_pipeline
        >>> from snippets.parallelism.pipeline.schedules import gpipe
        >>> held_steps(run_pipeline(gpipe(stages=1, micro_batches=2), {"F": 1, "B": 2}), device=0)
        [(0.0, 1.0), (1.0, 2.0), (4.0, 1.0), (6.0, 0.0)]
    """
    counts = held_activations(timeline.schedule)[device]
    steps: list[tuple[float, float]] = []
    for start, count in zip(timeline.start_s[device], counts, strict=True):
        if not steps or float(count) != steps[-1][1]:
            moment = float(start)
            if steps and float(count) < steps[-1][1]:  # released when the pass before ended
                place = timeline.start_s[device].index(start)
                moment = float(timeline.end_s[device][place - 1])
            steps.append((moment, float(count)))
    return [*steps, (float(timeline.end_s[device][-1]), 0.0)]


def predicted_panel(
    rows: Mapping[str, tuple[float, float, float, float]], *, until_s: float, title: str, width_px: float = WIDE_PX
) -> Panel:
    """Draw for each schedule a bar: work, then the waiting that is predicted; and a mark where the step was measured.

    Args:
        rows: by schedule, a device's seconds of forward and of backward, the predicted step and the measured one.
        until_s: time at the right edge.
        title: above the bars.
        width_px: width of the panel.

    Returns:
        The panel.
    """
    narrow = width_px < 500
    left, top, row = (84.0, 66.0, 34.0) if narrow else (104.0, 46.0, 34.0)
    panel = Panel(width_px, top + row * len(rows) + 24)
    panel.text(0, 14, title, bold=True)
    scale = (width_px - left - 18) / until_s
    bottom = top + row * len(rows)
    x, y = left, 24.0
    for words, name, strength in (
        ("forward", "forward", 0.25),
        ("backward", "backward", 0.5),
        ("predicted to wait", "idle", 0.35),
    ):
        if narrow and name == "idle":
            x, y = left, 44.0
        panel.rectangles([(x, y, 12.0, 12.0)], colour=name, strength=strength)
        panel.text(x + 17, y + 10, words, size=12)
        x += 30 + 7 * len(words)
    panel.curve([(x + 4, y - 1), (x + 4, y + 13)], colour="accent", width=3)
    panel.text(x + 13, y + 10, "measured", size=12)
    for number, (name, (forward, backward, predicted, measured)) in enumerate(rows.items()):
        y = top + row * number
        panel.text(0, y + 11, name, middle=True)
        x = left
        for length, colour_name, strength in (
            (forward, "forward", 0.25),
            (backward, "backward", 0.5),
            (predicted - forward - backward, "idle", 0.35),
        ):
            panel.rectangles([(x, y, length * scale, 22.0)], colour=colour_name, strength=strength)
            x += length * scale
        panel.text(left + predicted * scale - 6, y + 11, f"{predicted:.2f}", anchor="end", middle=True, size=12)
        panel.curve([(left + measured * scale, y - 3), (left + measured * scale, y + 25)], colour="accent", width=3)
        panel.text(left + measured * scale + 7, y + 11, f"{measured:.2f}", middle=True, size=12)
    panel.line(left, bottom, width_px - 18, bottom)
    for tenths in range(0, int(10 * until_s) + 1, 5):
        x = left + tenths / 10 * scale
        panel.line(x, bottom, x, bottom + 4)
        panel.text(x, bottom + 16, f"{tenths / 10:g} s", anchor="middle", size=12, colour="muted")
    return panel
