"""Figures: what a step's instants belong to, ranks' timelines from traces, the waterfall, and step times one by one."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.synthesis.profiling.live import WIDE as WIDTH
from snippets.synthesis.profiling.live import waterfall_panel as waterfall_panel
from snippets.synthesis.profiling.traces import Trace, step_segments

NARROW = 340
_COMPUTE = ("matmul", "attention", "other kernel")
_HUES = {
    "matmul": ("backward", 0.6),
    "attention": ("forward", 0.7),
    "other kernel": ("activations", 0.6),
    "communication": ("communication", 0.7),
    "memory": ("idle", 0.6),
    "data": ("optimizer", 0.7),
}


def attribution_panel(trace: Trace, *, unit_s: float, width_px: float = WIDTH) -> Panel:
    """Draw a small trace: its lanes, and below them whom each instant of its step belongs to.

    Args:
        trace: with one step.
        unit_s: of the axis, such as 1e-3 for ms.
        width_px: width of the picture.

    Returns:
        The picture.
    """
    left, right = 104.0, 14.0
    step = trace.steps[0]
    scale = (width_px - left - right) / step.duration_s
    panel = Panel(width_px, 150)
    lanes = {"compute": 10.0, "communication": 42.0}
    for name, y in lanes.items():
        panel.text(left - 8, y + 12, name, anchor="end", middle=True, size=12)
    for event in trace.events:
        if event.kind in (*_COMPUTE, "communication"):
            y = lanes["compute" if event.kind in _COMPUTE else "communication"]
            hue, strength = _HUES[event.kind]
            x = left + (event.start_s - step.start_s) * scale
            panel.rectangle(x, y, event.duration_s * scale, 24, colour=hue, strength=strength)
    panel.text(left - 8, 94, "belongs to", anchor="end", middle=True, size=12, bold=True)
    panel.rectangle(left, 82, step.duration_s * scale, 24, colour="idle", strength=0.0)
    for begin, end, part in step_segments(trace):
        hue, strength = _HUES[part]
        panel.rectangle(left + begin * scale, 82, (end - begin) * scale, 24, colour=hue, strength=strength)
    _time_axis(panel, 112, left, scale, step.duration_s, unit_s, "ms" if unit_s == 1e-3 else "s", width_px)
    return panel


def ranks_panel(traces: Sequence[Trace], *, names: Sequence[str], width_px: float = WIDTH) -> Panel:
    """Draw one step of several ranks below each other: whom each instant belongs to.

    Args:
        traces: of the ranks, with the same step.
        names: what stands beside each.
        width_px: width of the picture.

    Returns:
        The picture, with a key.
    """
    left, right, row = 58.0, 14.0, 38.0
    longest = max(trace.steps[0].duration_s for trace in traces)
    scale = (width_px - left - right) / longest
    key = 24.0 if width_px > NARROW else 46.0
    panel = Panel(width_px, key + row * len(traces) + 30)
    _key(panel, width_px)
    for number, (trace, name) in enumerate(zip(traces, names, strict=True)):
        y = key + row * number
        panel.text(left - 6, y + 14, name, anchor="end", middle=True, size=12)
        panel.rectangle(left, y, trace.steps[0].duration_s * scale, 28, colour="idle", strength=0.0)
        boxes: dict[str, list[tuple[float, float, float, float]]] = {part: [] for part in _HUES}
        for begin, end, part in step_segments(trace):
            boxes[part].append((left + begin * scale, y, (end - begin) * scale, 28))
        for part, found in boxes.items():
            hue, strength = _HUES[part]
            panel.bars(found, colour=hue, strength=strength)
    _time_axis(panel, key + row * len(traces), left, scale, longest, 1.0, "s", width_px)
    return panel


def _key(panel: Panel, width_px: float) -> None:
    entries = {
        "matmul": "matmuls",
        "attention": "attention",
        "other kernel": "other kernels",
        "communication": "communication",
        "data": "data",
    }
    x, y = 0.0, 6.0
    for part, name in entries.items():
        hue, strength = _HUES[part]
        wide = 20 + 6.6 * len(name) + 10
        if x + wide > width_px:
            x, y = 0.0, y + 20
        panel.rectangle(x, y, 12, 10, colour=hue, strength=strength)
        panel.text(x + 17, y + 9, name, size=12)
        x += wide


def _time_axis(
    panel: Panel, y: float, left: float, scale: float, longest: float, unit_s: float, unit: str, width_px: float
) -> None:
    panel.line(left, y, left + longest * scale, y)
    for tick in Axis(0, longest / unit_s).marks(8 if width_px > NARROW else 5):
        at = left + tick * unit_s * scale
        panel.line(at, y, at, y + 4)
        panel.text(at, y + 18, f"{tick:g}" if tick else f"0 {unit}", anchor="middle", colour="muted", size=12)


def step_times_plot(
    step_times_s: Sequence[float], *, low: float, high: float, marked_s: float, width_px: float = WIDTH
) -> Panel:
    """Plot the times of steps, one by one; those above the axis as marks at its upper edge.

    Args:
        step_times_s: the steps.
        low: the axis' lower end, in s.
        high: its upper end.
        marked_s: where a dashed line stands: the median.
        width_px: width of the picture.

    Returns:
        The picture.
    """
    plot = Plot(
        Axis(0, len(step_times_s), label="step"),
        Axis(low, high),
        title="Seconds of each step",
        width_px=width_px,
        height_px=230,
    )
    plot.curve([(0, marked_s), (len(step_times_s), marked_s)], colour="ink", dashed=True, width=1)
    plot.dots([(number, min(seconds, high)) for number, seconds in enumerate(step_times_s)], colour="accent", radius=2)
    for number, seconds in enumerate(step_times_s):
        if seconds > high:
            plot.panel.text(plot.x(number) + 6, plot.top + 10, f"{seconds:.1f} s", size=12, bold=True)
    return plot.panel
