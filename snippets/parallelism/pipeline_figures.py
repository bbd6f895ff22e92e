"""Figures: Gantt charts of pipeline schedules, drawn from the runner's timelines; bubbles and activations compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from snippets.domain import positive_number
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.palette import rank
from snippets.parallelism.pipeline_checker import find_timeline_faults
from snippets.parallelism.pipeline_runner import Timeline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"F": "forward", "B": "backward", "W": "weight-gradient", "idle": "idle"}
# A schedule has the same hue and mark in every plot; names that are not here follow after these.
_LINES = ("1F1B", "GPipe", "interleaved, v = 2", "interleaved, v = 4", "ZB-H1", "ZB-H2")
_LEFT, _TOP, _ROW, _BAR = 18.0, 24.0, 27.0, 22.0
_LEAST_PX = 8.4  # the narrowest block that carries a digit
_FIRST, _SECOND = 0.25, 0.5  # how strong a block is: a device's first stage, and its second

Box = tuple[float, float, float, float]


def gantt_panel(
    timeline: Timeline, *, title: str, until_s: float | None = None, note: str = "", width_px: float = 328
) -> Panel:
    """Draw who runs what when: a row for each device, a block for each task, grey where the device waits.

    A block carries the number of its micro-batch if it is wide enough and the number has one digit. Where a device has
    two stages (two chunks, or one of each direction), blocks of the second have a fuller colour.

    Args:
        timeline: a run; the checker must find no fault in its schedule.
        title: above the chart.
        until_s: time at the right edge; by default the end of the run. Equal for charts that are to be compared.
        note: below the chart; by default the idle share and what the devices hold.
        width_px: width of the panel.

    Returns:
        The chart.

    Raises:
        ValueError: if the checker finds a fault, or the run lasts longer than ``until_s``.
    """
    schedule = timeline.schedule
    if find_timeline_faults(schedule, start_s=timeline.start_s, end_s=timeline.end_s):
        raise ValueError(f"timeline must be one that the checker passes, got one of {schedule.name} that it does not")
    end_s = float(timeline.makespan_s)
    until_s = end_s if until_s is None else positive_number("until_s", until_s)
    if until_s < end_s:
        raise ValueError(f"until_s must be at least the end of the run ({end_s:g}), got {until_s:g}")
    panel = Panel(width_px, _TOP + schedule.devices * _ROW + 18)
    scale = (width_px - _LEFT - 1) / until_s
    panel.text(0, 13, title, bold=True)
    kinds = [*("FBW" if schedule.splits_backward else "FB"), "idle"]
    _legend(panel, kinds, width_px)
    _draw_rows(panel, timeline, scale)
    panel.text(_LEFT, panel.height - 4, note or _summary(timeline), size=12, colour="muted")
    return panel


def _legend(panel: Panel, kinds: Sequence[str], width_px: float) -> None:
    """Name the colours at the right of the title."""
    x = width_px - 28 * (len(kinds) - 1) - 38
    for kind in kinds:
        panel.rectangles([(x, 4, 9, 10)], colour=_COLOURS[kind], strength=0.12 if kind == "idle" else _FIRST)
        panel.text(x + 12, 13, kind, size=12)
        x += 28


def _draw_rows(panel: Panel, timeline: Timeline, scale: float) -> None:
    """Draw all tasks and gaps."""
    schedule = timeline.schedule
    boxes: dict[tuple[str, bool], list[Box]] = {}
    digits: list[list[tuple[float, str]]] = [[] for _ in schedule.orders]
    for device, task, start, end in timeline.events():
        box = _box(device, float(start), float(end), scale)
        second = task.stage >= schedule.devices or schedule.directions[task.micro_batch] > 0
        boxes.setdefault((task.kind, second), []).append(box)
        if box[2] >= _LEAST_PX and task.micro_batch < 10:
            digits[device].append((box[0] + box[2] / 2, str(task.micro_batch)))
    makespan_s = float(timeline.makespan_s)
    for device, (starts, ends) in enumerate(zip(timeline.start_s, timeline.end_s, strict=True)):
        edges = [0.0, *(float(t) for pair in zip(starts, ends, strict=True) for t in pair), makespan_s]
        gaps = [(a, b) for a, b in list(pairwise(edges))[::2] if b > a]
        boxes.setdefault(("idle", False), []).extend(_box(device, a, b, scale) for a, b in gaps)
    for (kind, second), shapes in boxes.items():
        strength = 0.12 if kind == "idle" else _SECOND if second else _FIRST
        panel.rectangles(shapes, colour=_COLOURS[kind], strength=strength)
    for device, places in enumerate(digits):
        y = _TOP + device * _ROW + _BAR / 2
        panel.text(0, y, str(device), size=12, middle=True)
        panel.signs([x for x, _ in places], y, [digit for _, digit in places], size=12)


def _box(device: int, start_s: float, end_s: float, scale: float) -> Box:
    return _LEFT + start_s * scale, _TOP + device * _ROW, (end_s - start_s) * scale, _BAR


def _summary(timeline: Timeline) -> str:
    """Say what the run costs."""
    held = ", ".join(f"{float(count):g}" for count in timeline.peak_activations)
    return f"ends at {float(timeline.makespan_s):g} · {float(timeline.idle_share):.1%} idle · holds {held}"


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
        ticks = sorted({m for line in shares.values() for m in line})
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(m) for m in ticks])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("micro-batches")
        axes.set_ylabel("bubble, % of the step")
        axes.legend(loc="upper right", fontsize=12)
    return figure


def held_plot(held: Mapping[str, Sequence[Any]], *, width_px: float = 328) -> Figure:
    """Plot what each device holds at its peak, a line for each schedule, on a logarithmic axis.

    Args:
        held: for each schedule, the peak of each device, in micro-batches of a device's share of the layers.
        width_px: width of the plot.

    Returns:
        The plot.
    """
    with plot(width_px=width_px, height_px=300) as (figure, axes):
        for number, (name, values) in enumerate(held.items()):
            marker, hue = _line(name, number)
            axes.plot(range(len(values)), [float(v) for v in values], marker, color=hue, markersize=5, label=name)
        axes.set_yscale("log", base=2)
        ticks = [1, 2, 4, 8, 16, 32]
        axes.set_yticks(ticks, [str(tick) for tick in ticks])
        axes.set_ylim(0.8, 60)
        axes.minorticks_off()
        axes.set_xlabel("device")
        axes.set_ylabel("micro-batches held")
        axes.legend(loc="lower left", fontsize=12)
    return figure
