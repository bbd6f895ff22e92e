"""Drawings: Gantt charts of pipeline schedules, drawn from the runner's timelines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from snippets.domain import each, nonnegative_number, number_between, positive_integer, positive_number, text
from snippets.drawing import MOST_PX, Panel
from snippets.parallelism.pipeline.checker import find_timeline_faults
from snippets.parallelism.pipeline.runner import Timeline

_COLOURS = {"F": "forward", "B": "backward", "W": "weight-gradient", "idle": "idle"}
_LEFT, _TOP, _ROW, _BAR = 18.0, 24.0, 27.0, 22.0
_LEAST_PX = 8.4  # the narrowest block that carries a digit
_OUTLINED_PX = 3.0  # the narrowest block that has an outline
_MOST_OUTLINED = 800  # the most blocks that have one
_LETTER_PX = 19.0  # the narrowest block that carries its letter too
_FIRST, _SECOND, _IDLE = 0.25, 0.5, 0.12  # how strong a block is: a device's first stage, its second, a gap
_BARE = {"F": 0.35, "B": 0.8, "W": 0.6, "idle": _IDLE}  # where there are no outlines
_EDGE, _EDGE_STRENGTH = 4.0, 0.95  # B has a thick lower edge and W a thick upper one, so that colour is not alone
_UNDER = 34.0  # room below the rows: ticks of the time, and the note
_LEAST_TICK_PX = 44.0
_EDGES = {"B": _BAR - _EDGE, "W": 0.0}  # how far below a block's top its thick edge begins

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Remark:
    """Words on a chart, in the middle of a stretch of one device's time in which it runs no task.

    Attributes:
        device: its number.
        from_s: where the stretch begins.
        to_s: where it ends.
        words: what is written there.
    """

    device: int
    from_s: float
    to_s: float
    words: str


def gantt_panel(
    timeline: Timeline,
    *,
    title: str,
    until_s: float | None = None,
    note: str = "",
    width_px: float = 328,
    remarks: Sequence[Remark] = (),
) -> Panel:
    """Draw who runs what when: a row for each device, a block for each task, grey where the device waits.

    A block that is wide enough carries the last digit of its micro-batch's number, a wider one its letter before it. B
    has a thick lower edge, W a thick upper one. Where a device has two stages (two chunks, or one of each direction),
    blocks of the second have a fuller colour. Below the rows is the axis of the time.

    Args:
        timeline: a run; the checker must find no fault in its schedule.
        title: above the chart.
        until_s: time at the right edge; by default the end of the run. Equal for charts that are to be compared.
        note: below the chart; by default the idle share and what the devices hold.
        width_px: width of the panel.
        remarks: words to write where a device waits.

    Returns:
        The chart.

    Raises:
        TypeError: if ``timeline`` is no ``Timeline``.
        ValueError: if the checker finds a fault, or the run lasts longer than ``until_s``.

    Example:
        >>> from snippets.parallelism.pipeline.runner import run_pipeline
        >>> from snippets.parallelism.pipeline.schedules import gpipe
        >>> line = run_pipeline(gpipe(stages=2, micro_batches=2), {"F": 1, "B": 2})
        >>> gantt_panel(line, title="GPipe").height
        112.0
    """
    if not isinstance(timeline, Timeline):
        raise TypeError(f"timeline must be a Timeline, got {timeline!r}")
    schedule = timeline.schedule
    if find_timeline_faults(schedule, start_s=timeline.start_s, end_s=timeline.end_s):
        raise ValueError(f"timeline must be one that the checker passes, got one of {schedule.name} that it does not")
    until_s = float(timeline.makespan_s) if until_s is None else positive_number("until_s", until_s)
    note = text("note", note) or _summary(timeline)
    return draw_gantt(timeline, title=title, until_s=until_s, note=note, width_px=width_px, remarks=remarks)


def draw_gantt(
    timeline: Timeline,
    *,
    title: str,
    until_s: float,
    note: str,
    width_px: float = 328,
    moment_s: float | None = None,
    parts: int = 1,
    remarks: Sequence[Remark] = (),
) -> Panel:
    """Draw the chart of ``gantt_panel`` without asking the checker, which takes longer than the drawing.

    Args:
        timeline: a run.
        title: above the chart.
        until_s: time at the right edge.
        note: below the chart.
        width_px: width of the panel.
        moment_s: a moment, at least 0, to mark by a line through all rows; none if ``None``.
        parts: how many units of the timeline's time are one unit of the axis.
        remarks: words to write where a device waits.

    Returns:
        The chart.

    Raises:
        TypeError: if ``timeline`` is no ``Timeline``.

    Example:
        >>> from snippets.parallelism.pipeline.runner import run_pipeline
        >>> from snippets.parallelism.pipeline.schedules import gpipe
        >>> line = run_pipeline(gpipe(stages=2, micro_batches=2), {"F": 1, "B": 2})
        >>> draw_gantt(line, title="GPipe", until_s=9, note="two devices", moment_s=3).width
        328.0
    """
    if not isinstance(timeline, Timeline):
        raise TypeError(f"timeline must be a Timeline, got {timeline!r}")
    schedule = timeline.schedule
    panel = Panel(number_between("width_px", width_px, low=64, high=MOST_PX), _TOP + schedule.ranks * _ROW + _UNDER)
    end_s = float(timeline.makespan_s)
    if positive_number("until_s", until_s) < end_s:
        raise ValueError(f"until_s must be at least the end of the run ({end_s:g}), got {until_s!r:.40}")
    scale = (panel.width - _LEFT - 1) / until_s
    panel.text(0, 13, text("title", title), bold=True)
    _legend(panel, [*("FBW" if schedule.splits_backward else "FB"), "idle"])
    _draw_rows(panel, timeline, scale)
    bottom = _TOP + schedule.ranks * _ROW
    draw_time_axis(panel, y=bottom, until_s=until_s, parts=parts)
    for remark in each("remarks", remarks, _remark):
        middle = _LEFT + (remark.from_s + remark.to_s) / 2 * scale
        panel.text(middle, _TOP + remark.device * _ROW + _BAR / 2, remark.words, anchor="middle", middle=True, size=12)
    panel.text(_LEFT, panel.height - 4, text("note", note), size=12, colour="muted")
    if moment_s is not None:
        moment_s = nonnegative_number("moment_s", moment_s)
        if moment_s > until_s:
            raise ValueError(f"moment_s must be at most until_s ({until_s:g}), got {moment_s:g}")
        x = _LEFT + moment_s * scale
        panel.curve([(x, _TOP - 3), (x, _TOP + schedule.ranks * _ROW - 2)], colour="accent")
    return panel


def draw_time_axis(panel: Panel, *, y: float, until_s: float, parts: int = 1) -> None:
    """Draw ticks and numbers of the time from 0 to ``until_s`` below the rows of a chart.

    Args:
        panel: the chart.
        y: where the rows end, at least 0.
        until_s: time at the right edge.
        parts: how many units of it are one unit of the axis.

    Returns:
        Nothing; the axis is in the panel.

    Example:
        >>> panel = Panel(328, 40)
        >>> draw_time_axis(panel, y=10, until_s=9)
        >>> panel.svg().count("<text")
        5
    """
    if not isinstance(panel, Panel):
        raise TypeError(f"panel must be a Panel, got {panel!r:.40}")
    y, until_s = number_between("y", y, low=0, high=MOST_PX), number_between("until_s", until_s, low=1e-9, high=1e12)
    parts = positive_integer("parts", parts)
    scale = (panel.width - _LEFT - 1) / until_s
    step = _tick(until_s / parts, (panel.width - _LEFT) / _LEAST_TICK_PX)
    panel.line(_LEFT, y, _LEFT + until_s * scale, y)
    for number in range(math.floor(until_s / parts / step + 1e-9) + 1):
        x = _LEFT + number * step * parts * scale
        panel.line(x, y, x, y + 4)
        side: Any = "end" if x > panel.width - 12 else "middle"
        panel.text(
            panel.width if side == "end" else x, y + 15, f"{number * step:g}", size=12, colour="muted", anchor=side
        )


def _remark(name: str, value: Remark) -> Remark:
    if not isinstance(value, Remark):
        raise TypeError(f"{name} must be a Remark, got {value!r:.40}")
    return value


def _tick(span: float, most: float) -> float:
    """Return a round step, of which at most so many fit into a span."""
    power: float = 10 ** math.floor(math.log10(span / most))
    return next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= most)


def _legend(panel: Panel, kinds: Sequence[str]) -> None:
    """Name the colours at the right of the title."""
    x = panel.width - 28 * (len(kinds) - 1) - 38
    for kind in kinds:
        panel.rectangles([(x, 4, 9, 10)], colour=_COLOURS[kind], strength=_IDLE if kind == "idle" else _FIRST)
        if kind in _EDGES:
            panel.bars([(x, 4 if kind == "W" else 11, 9, 3)], colour=_COLOURS[kind], strength=_EDGE_STRENGTH)
        panel.text(x + 12, 13, kind, size=12)
        x += 28


@dataclass(frozen=True)
class _Blocks:
    """Blocks by kind and whether they are a device's second stage's; the digits on them and their places, by device."""

    shapes: dict[tuple[str, bool], list[Box]]
    digits: list[list[tuple[float, str]]]
    crowded: bool


def _draw_rows(panel: Panel, timeline: Timeline, scale: float) -> None:
    """Draw all tasks and gaps."""
    blocks = _blocks(timeline, scale)
    if not blocks.crowded:
        for (kind, second), boxes in blocks.shapes.items():
            strength = _IDLE if kind == "idle" else _SECOND if second else _FIRST
            panel.rectangles(boxes, colour=_COLOURS[kind], strength=strength)
        for kind, shift in _EDGES.items():
            tops = [box for second in (False, True) for box in blocks.shapes.get((kind, second), [])]
            edges = sorted((y + shift, x, width) for x, y, width, _ in tops)
            panel.bars([(x, y, width, _EDGE) for y, x, width in edges], colour=_COLOURS[kind], strength=_EDGE_STRENGTH)
    else:
        for (kind, second), boxes in blocks.shapes.items():
            panel.bars(boxes, colour=_COLOURS[kind], strength=_BARE[kind] + second * 0.2)
    for device, places in enumerate(blocks.digits):
        y = _TOP + device * _ROW + _BAR / 2
        panel.text(0, y, str(device), size=12, middle=True)
        panel.signs([x for x, _ in places], y, [digit for _, digit in places], size=12)


def _blocks(timeline: Timeline, scale: float) -> _Blocks:
    schedule = timeline.schedule
    shortest_s = min(float(timeline.length_s(task)) for order in schedule.orders for task in order)
    many = sum(map(len, schedule.orders)) > _MOST_OUTLINED
    blocks = _Blocks({}, [[] for _ in schedule.orders], many or shortest_s * scale < _OUTLINED_PX)
    for device, task, start, end in timeline.events():
        box = _box(device, float(start), float(end), scale)
        second = task.stage >= schedule.ranks or schedule.directions[task.micro_batch] > 0
        blocks.shapes.setdefault((task.kind, second), []).append(box)
        if box[2] >= _LEAST_PX and not many:
            digit = str(task.micro_batch % 10)
            blocks.digits[device].append((box[0] + box[2] / 2, task.kind + digit if box[2] >= _LETTER_PX else digit))
    makespan_s = float(timeline.makespan_s)
    for device, (starts, ends) in enumerate(zip(timeline.start_s, timeline.end_s, strict=True)):
        edges = [0.0, *(float(t) for pair in zip(starts, ends, strict=True) for t in pair), makespan_s]
        gaps = [(a, b) for a, b in list(pairwise(edges))[::2] if b > a]
        blocks.shapes.setdefault(("idle", False), []).extend(_box(device, a, b, scale) for a, b in gaps)
    return blocks


def _box(device: int, start_s: float, end_s: float, scale: float) -> Box:
    return _LEFT + start_s * scale, _TOP + device * _ROW, (end_s - start_s) * scale, _BAR


def _summary(timeline: Timeline) -> str:
    """Say what the run costs."""
    held = ", ".join(f"{float(count):g}" for count in timeline.peak_activations)
    return f"ends at {float(timeline.makespan_s):g} · {timeline.idle_share:.1%} idle · holds {held}"
