"""Drawings: Gantt charts of pipeline schedules, drawn from the runner's timelines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from snippets.domain import nonnegative_number, number_between, positive_number, text
from snippets.drawing import MOST_PX, Panel
from snippets.parallelism.pipeline_checker import find_timeline_faults
from snippets.parallelism.pipeline_runner import Timeline

_COLOURS = {"F": "forward", "B": "backward", "W": "weight-gradient", "idle": "idle"}
_LEFT, _TOP, _ROW, _BAR = 18.0, 24.0, 27.0, 22.0
_LEAST_PX = 8.4  # the narrowest block that carries a digit
_OUTLINED_PX = 3.0  # the narrowest block that has an outline
_FIRST, _SECOND, _IDLE = 0.25, 0.5, 0.12  # how strong a block is: a device's first stage, its second, a gap
_BARE = 0.3  # added where there is no outline

Box = tuple[float, float, float, float]


def gantt_panel(
    timeline: Timeline, *, title: str, until_s: float | None = None, note: str = "", width_px: float = 328
) -> Panel:
    """Draw who runs what when: a row for each device, a block for each task, grey where the device waits.

    A block that is wide enough carries the last digit of its micro-batch's number. Where a device has two stages (two
    chunks, or one of each direction), blocks of the second have a fuller colour.

    Args:
        timeline: a run; the checker must find no fault in its schedule.
        title: above the chart.
        until_s: time at the right edge; by default the end of the run. Equal for charts that are to be compared.
        note: below the chart; by default the idle share and what the devices hold.
        width_px: width of the panel.

    Returns:
        The chart.

    Raises:
        TypeError: if ``timeline`` is no ``Timeline``.
        ValueError: if the checker finds a fault, or the run lasts longer than ``until_s``.

    Example:
        >>> from snippets.parallelism.pipeline_runner import run_pipeline
        >>> from snippets.parallelism.pipeline_schedules import gpipe
        >>> line = run_pipeline(gpipe(stages=2, micro_batches=2), {"F": 1, "B": 2})
        >>> gantt_panel(line, title="GPipe").height
        96.0
    """
    if not isinstance(timeline, Timeline):
        raise TypeError(f"timeline must be a Timeline, got {timeline!r}")
    schedule = timeline.schedule
    if find_timeline_faults(schedule, start_s=timeline.start_s, end_s=timeline.end_s):
        raise ValueError(f"timeline must be one that the checker passes, got one of {schedule.name} that it does not")
    until_s = float(timeline.makespan_s) if until_s is None else positive_number("until_s", until_s)
    note = text("note", note) or _summary(timeline)
    return draw_gantt(timeline, title=title, until_s=until_s, note=note, width_px=width_px)


def draw_gantt(
    timeline: Timeline,
    *,
    title: str,
    until_s: float,
    note: str,
    width_px: float = 328,
    moment_s: float | None = None,
) -> Panel:
    """Draw the chart of ``gantt_panel`` without asking the checker, which takes longer than the drawing.

    Args:
        timeline: a run.
        title: above the chart.
        until_s: time at the right edge.
        note: below the chart.
        width_px: width of the panel.
        moment_s: a moment, at least 0, to mark by a line through all rows; none if ``None``.

    Returns:
        The chart.

    Raises:
        TypeError: if ``timeline`` is no ``Timeline``.

    Example:
        >>> from snippets.parallelism.pipeline_runner import run_pipeline
        >>> from snippets.parallelism.pipeline_schedules import gpipe
        >>> line = run_pipeline(gpipe(stages=2, micro_batches=2), {"F": 1, "B": 2})
        >>> draw_gantt(line, title="GPipe", until_s=9, note="two devices", moment_s=3).width
        328.0
    """
    if not isinstance(timeline, Timeline):
        raise TypeError(f"timeline must be a Timeline, got {timeline!r}")
    schedule = timeline.schedule
    panel = Panel(number_between("width_px", width_px, low=64, high=MOST_PX), _TOP + schedule.ranks * _ROW + 18)
    end_s = float(timeline.makespan_s)
    if positive_number("until_s", until_s) < end_s:
        raise ValueError(f"until_s must be at least the end of the run ({end_s:g}), got {until_s!r:.40}")
    scale = (panel.width - _LEFT - 1) / until_s
    panel.text(0, 13, text("title", title), bold=True)
    _legend(panel, [*("FBW" if schedule.splits_backward else "FB"), "idle"])
    _draw_rows(panel, timeline, scale)
    panel.text(_LEFT, panel.height - 4, text("note", note), size=12, colour="muted")
    if moment_s is not None:
        moment_s = nonnegative_number("moment_s", moment_s)
        if moment_s > until_s:
            raise ValueError(f"moment_s must be at most until_s ({until_s:g}), got {moment_s:g}")
        x = _LEFT + moment_s * scale
        panel.curve([(x, _TOP - 3), (x, _TOP + schedule.ranks * _ROW - 2)], colour="accent")
    return panel


def _legend(panel: Panel, kinds: Sequence[str]) -> None:
    """Name the colours at the right of the title."""
    x = panel.width - 28 * (len(kinds) - 1) - 38
    for kind in kinds:
        panel.rectangles([(x, 4, 9, 10)], colour=_COLOURS[kind], strength=_IDLE if kind == "idle" else _FIRST)
        panel.text(x + 12, 13, kind, size=12)
        x += 28


@dataclass(frozen=True)
class _Blocks:
    """Blocks by kind and whether they are a device's second stage's; the digits on them and their places, by device."""

    shapes: dict[tuple[str, bool], list[Box]]
    digits: list[list[tuple[float, str]]]


def _draw_rows(panel: Panel, timeline: Timeline, scale: float) -> None:
    """Draw all tasks and gaps."""
    blocks = _blocks(timeline, scale)
    narrowest = min(box[2] for (kind, _), boxes in blocks.shapes.items() if kind != "idle" for box in boxes)
    for (kind, second), boxes in blocks.shapes.items():
        strength = _IDLE if kind == "idle" else _SECOND if second else _FIRST
        if narrowest >= _OUTLINED_PX:
            panel.rectangles(boxes, colour=_COLOURS[kind], strength=strength)
        else:
            panel.bars(boxes, colour=_COLOURS[kind], strength=strength + (kind != "idle") * _BARE)
    for device, places in enumerate(blocks.digits):
        y = _TOP + device * _ROW + _BAR / 2
        panel.text(0, y, str(device), size=12, middle=True)
        panel.signs([x for x, _ in places], y, [digit for _, digit in places], size=12)


def _blocks(timeline: Timeline, scale: float) -> _Blocks:
    schedule = timeline.schedule
    blocks = _Blocks({}, [[] for _ in schedule.orders])
    for device, task, start, end in timeline.events():
        box = _box(device, float(start), float(end), scale)
        second = task.stage >= schedule.ranks or schedule.directions[task.micro_batch] > 0
        blocks.shapes.setdefault((task.kind, second), []).append(box)
        if box[2] >= _LEAST_PX:
            blocks.digits[device].append((box[0] + box[2] / 2, str(task.micro_batch % 10)))
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
