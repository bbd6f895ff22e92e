"""Drawings: a step on its lanes as blocks on a time axis, and what the device holds below it."""

from __future__ import annotations

import math

from snippets.domain import flag, number_between, positive_number, text
from snippets.drawing import Panel
from snippets.memory.offloading.timeline import LANES, OffloadedStep

NAMES = {"GPU": "GPU", "down": "link down", "host": "host", "up": "link up", "read": "drive in", "write": "drive out"}
HUES = {
    "forward": "forward",
    "backward": "backward",
    "gradients": "gradients",
    "update": "optimizer",
    "new weights": "parameters",
    "fetch": "parameters",
    "fetch again": "parameters",
    "store": "activations",
    "load": "activations",
    "read": "idle",
    "write": "idle",
}
SHORT = {
    "forward": "F",
    "backward": "B",
    "gradients": "G",
    "update": "U",
    "new weights": "W",
    "fetch": "W",
    "fetch again": "W",
    "store": "A",
    "load": "A",
    "read": "R",
    "write": "S",
}
_LEFT, _RIGHT, _ROW = 66.0, 54.0, 22.0
_HELD = ("parameters", "gradients", "activations")


def _brief(number: float) -> str:
    """Return a number in four digits, and all of those before the point.

    >>> _brief(11_131.4), _brief(636.25)
    ('11,131', '636.2')
    """
    return f"{number:,.0f}" if number >= 10_000 else f"{number:.4g}"


def offload_lanes_panel(
    step: OffloadedStep, *, title: str, scale_s: float, unit_s: float = 1.0, width_px: float = 690, held: bool = False
) -> Panel:
    """Draw the lanes of a step that have anything to do, its end in bold, and, below, what the device holds.

    Args:
        step: from ``offloaded_step``.
        title: above the lanes; ``"\\n"`` begins another line.
        scale_s: seconds across the panel, the same for panels that are to be compared.
        unit_s: seconds of one unit of the axis: 0.001 for milliseconds.
        width_px: of the panel.
        held: whether what the device holds of layers that come and go is drawn below.

    Returns:
        The panel. A block has the letter of its task and the number of its layer, where there is room, or the letter
        alone.

    >>> from snippets.memory.offloading.timeline import offloaded_step
    >>> offload_lanes_panel(offloaded_step(layers=2, forward_s=1, backward_s=2), title="a step", scale_s=8).width
    690.0
    """
    if not isinstance(step, OffloadedStep):
        raise TypeError(f"step must be an OffloadedStep, got {step!r}")
    width, unit = number_between("width_px", width_px, low=150, high=2000), positive_number("unit_s", unit_s)
    whole = positive_number("scale_s", scale_s)
    number_between("scale_s / unit_s", whole / unit if unit > 1e-300 else 0, low=1e-6, high=1e9)
    scale = (width - _LEFT - _RIGHT) / whole
    lanes = [lane for lane in LANES if any(task.lane == lane for task in step.tasks)]
    high = 46.0 if flag("held", held) else 0.0
    titles = text("title", title).split("\n")
    top = 22 + 17.0 * (len(titles) - 1)
    axis = top + len(lanes) * (_ROW + 4) + (high + 6 if held else 0)
    panel = Panel(width, axis + 24)
    for number, line in enumerate(titles):
        panel.text(0, 14 + 17 * number, line, bold=True)
    for number, lane in enumerate(lanes):
        y = top + number * (_ROW + 4)
        panel.text(0, y + _ROW / 2, NAMES[lane], middle=True, size=12)
        for task, times in zip(step.tasks, step.times, strict=True):
            if task.lane != lane:
                continue
            wide = float(task.seconds) * scale
            layer = "" if task.layer is None else str(task.layer + 1)
            label = SHORT[task.name] + layer
            if wide < 7.5 * len(label) + 3:
                label = SHORT[task.name] if wide >= 9 else ""
            panel.rectangle(_LEFT + float(times.start_s) * scale, y, wide, _ROW, colour=HUES[task.name], label=label)
    end = float(step.end_s)
    middle = top + len(lanes) * (_ROW + 4) - 4 - (_ROW + 4) * len(lanes) / 2
    panel.line(_LEFT + end * scale, top - 2, _LEFT + end * scale, axis, colour="muted", dashed=True)
    panel.text(_LEFT + end * scale + 5, middle, _brief(end / unit), middle=True, bold=True)
    if held:
        _draw_held(panel, step, scale, axis, high)
    panel.line(_LEFT, axis, width - 4, axis)
    apart = _apart(whole / unit, most=10 if width >= 500 else 6)
    for tick in range(int(whole / unit / apart + 1e-9) + 1):
        x = _LEFT + tick * apart * unit * scale
        panel.line(x, axis, x, axis + 4)
        panel.text(x, axis + 17, f"{tick * apart:g}", anchor="middle", size=12, colour="muted")
    return panel


def _draw_held(panel: Panel, step: OffloadedStep, scale: float, axis: float, high: float) -> None:
    """Stack what is held in each stretch of time, as high as its share of the peak."""
    peak = step.peak_bytes or 1
    panel.text(0, axis - high / 2, "held", middle=True, size=12)
    base = dict.fromkeys(range(len(step.held)), 0.0)
    for kind in _HELD:
        for number, (start, stop, kept) in enumerate(step.held):
            tall = kept.get(kind, 0) / peak * high
            if tall:
                x = _LEFT + float(start) * scale
                y = axis - base[number] - tall
                panel.bars([(x, y, float(stop - start) * scale, tall)], colour=kind, strength=0.5)
                base[number] += tall


def _apart(units: float, *, most: int) -> float:
    """Return the least round distance of ticks that makes at most so many of them."""
    tens = 10.0 ** math.floor(math.log10(units))
    return next(tens * part for part in (0.1, 0.2, 0.5, 1.0, 2.0) if units / (tens * part) <= most)
