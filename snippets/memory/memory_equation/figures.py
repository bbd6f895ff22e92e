"""Figures: what fills a device's memory over a step; which tensors live when, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snippets.domain import at_most, nonnegative_number, number_between, positive_number
from snippets.drawing import MOST_PX, Panel
from snippets.figures import colour, plot
from snippets.memory.memory_equation.activations import StoredTensor
from snippets.memory.memory_equation.step_timeline import KINDS, MemoryTimeline, Moment, Tensor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HUES = {
    "parameters": "parameters",
    "gradients": "gradients",
    "optimizer": "optimizer",
    "activations": "activations",
    "temporary": "idle",
}
_GIGA = 10**9
_WIDTH_PX = 320  # two panels stand side by side


def timeline_plot(
    timeline: MemoryTimeline,
    *,
    device_bytes: float,
    title: str = "",
    top_bytes: float | None = None,
    width_px: float = _WIDTH_PX,
    height_px: float = 270,
) -> Figure:
    """Draw what a step holds at each of its tasks, kinds stacked, with the device's memory and the peak.

    Args:
        timeline: of one step.
        device_bytes: where to draw the line of the device.
        title: of the panel.
        top_bytes: where the axis ends, for panels that are to be compared; above the peak if ``None``.
        width_px: of the panel.
        height_px: of the panel.

    Returns:
        The plot.
    """
    device = positive_number("device_bytes", device_bytes) / _GIGA
    moments = timeline.moments
    places = range(len(moments))
    with plot(width_px=width_px, height_px=height_px) as (figure, axes):
        axes.set_axisbelow(True)
        kinds = [kind for kind in KINDS if any(moment.held[kind] for moment in moments)]
        rows = [[moment.held[kind] / _GIGA for moment in moments] for kind in kinds]
        stack = axes.stackplot(places, rows, colors=[colour(HUES[kind]) for kind in kinds], step="mid", linewidth=0)
        for area, kind in zip(stack, kinds, strict=True):
            area.set_label(kind)
            if kind == "activations":  # as grey as the optimizer's state where there is no colour
                area.set(hatch="///", edgecolor=colour("ink"))
        peak = moments.index(timeline.peak)
        height = timeline.peak_bytes / _GIGA
        top = max(height, device) * 1.3 if top_bytes is None else positive_number("top_bytes", top_bytes) / _GIGA
        axes.axhline(device, color=colour("ink"), linewidth=1.2, linestyle="--")
        axes.text(0, device, f"{device:.0f} GB", ha="left", va="bottom", size=12)
        axes.plot([peak], [height], marker="v", color=colour("ink"), markersize=6)
        side = "left" if peak < len(moments) / 2 else "right"
        axes.text(peak, height + top * 0.04, f"peak {height:.1f}", ha=side, va="bottom", size=12)
        starts, labels = _phases(timeline)
        axes.set_xticks(starts, labels)
        axes.set_xlim(0, len(moments) - 1)
        axes.set_ylim(0, top)
        axes.set_ylabel("GB")
        axes.set_title(title)
        axes.set_xlabel("time, task by task")
        figure.legend(
            loc="outside lower center", ncols=3 if width_px < 500 else 5, fontsize=12, frameon=False, handlelength=1
        )
    return figure


def _phases(timeline: MemoryTimeline) -> tuple[list[int], list[str]]:
    """Where the forward pass, the backward pass and the update begin."""
    phases: Sequence[str] = [moment.phase for moment in timeline.moments]
    order = [phase for phase in ("forward", "backward", "update") if phase in phases]
    return [phases.index(phase) for phase in order], order


_LIVES_TOP, _LIVES_ROW, _LIVES_BAR = 50.0, 35.0, 13.0
_SUM_HEIGHT = 150.0


def lives_panel(
    timeline: MemoryTimeline, *, least_bytes: float = 0, most_bytes: float | None = None, width_px: float = 328
) -> Panel:
    """Draw a step of few layers against time: above, which tensors live when; below, what they add up to.

    Args:
        timeline: of one step of at most 4 layers.
        least_bytes: rows smaller than this are left out above (not in the sum).
        most_bytes: where the axis of the sum ends; at the peak if ``None``.
        width_px: of the panel.

    Returns:
        The panel: a column for each task, in the order of time.

    Raises:
        ValueError: if there are more layers than can be drawn.
    """
    least = nonnegative_number("least_bytes", least_bytes)
    moments = [moment for moment in timeline.moments if moment.task not in ("embedding", "end")]
    at_most("tasks of the timeline", len(moments), 12)
    rows = [row for row in life_rows(timeline) if row[2] >= least]
    column = (positive_number("width_px", width_px) - 2) / len(moments)
    bottom = _LIVES_TOP + _LIVES_ROW * len(rows)
    base = bottom + 46 + _SUM_HEIGHT
    panel = Panel(width_px, base + 34)
    for phase in ("forward", "backward"):
        places = [place for place, moment in enumerate(moments) if moment.phase == phase]
        panel.text(1 + (places[0] + places[-1] + 1) / 2 * column, 12, phase, anchor="middle", size=12)
        panel.line(1 + places[0] * column + 4, 17, 1 + (places[-1] + 1) * column - 4, 17)
    for place, moment in enumerate(moments):
        x = 1 + place * column
        for line, words in enumerate(_task(moment)):
            panel.text(x + column / 2, 30 + 14 * line, words, anchor="middle", size=12)
        for number in range(len(rows) if place else 0):  # beside the bars alone, so that no line crosses a name
            y = _LIVES_TOP + number * _LIVES_ROW + 15
            panel.line(x, y, x, y + _LIVES_BAR + 2, colour="line")
    for number, (name, kind, size, tensors) in enumerate(rows):
        y = _LIVES_TOP + number * _LIVES_ROW
        alive = [place for place, moment in enumerate(moments) if _alive(tensors[0], moment)]
        x = 1 + alive[0] * column + 1
        said = f"{name}, {size / _GIGA:.2f} GB"
        if 2 * alive[0] >= len(moments):  # the name ends where the bar does
            panel.text(x + column * len(alive) - 2, y + 12, said, anchor="end", size=12)
        else:
            panel.text(x, y + 12, said, size=12)
        panel.rectangle(x, y + 16, column * len(alive) - 2, _LIVES_BAR, colour=HUES[kind], strength=0.5)
    scale = _SUM_HEIGHT / (timeline.peak_bytes if most_bytes is None else positive_number("most_bytes", most_bytes))
    panel.text(1, bottom + 16, "held in all, GB", size=12)
    for place, moment in enumerate(moments):
        y = base
        for kind in KINDS:
            height = moment.held[kind] * scale
            y -= height
            if height:
                panel.rectangle(1 + place * column + 4, y, column - 8, height, colour=HUES[kind], strength=0.5)
        peak = moment.total == timeline.peak_bytes
        middle = 1 + (place + 0.5) * column
        panel.text(middle, y - 5, f"{moment.total / _GIGA:.2f}", anchor="middle", size=12, bold=peak)
        if peak:
            panel.text(middle, y - 19, "most", anchor="middle", size=12)
    panel.line(1, base, width_px - 1, base, colour="muted")
    panel.arrow(1, base + 12, width_px - 1, base + 12)
    panel.text(1, base + 29, "time, task by task", size=12)
    return panel


def life_rows(timeline: MemoryTimeline) -> list[tuple[str, str, int, list[Tensor]]]:
    """Return the rows of ``lives_panel``: what one task makes of one kind and frees together.

    Args:
        timeline: of one step.

    Returns:
        For each row its name, its kind, its bytes and its tensors, in the order in which they are made.
    """
    groups: dict[tuple[str, str, tuple[bool, ...]], list[Tensor]] = {}
    for tensor in timeline.tensors:
        lives = tuple(_alive(tensor, moment) for moment in timeline.moments)
        maker = timeline.moments[lives.index(True)]
        what = maker.task if maker.phase != "before" else "always"
        groups.setdefault((what, tensor.kind, lives), []).append(tensor)
    said = {
        ("always", "parameters"): "weights",
        ("always", "optimizer"): "optimizer state",
        ("loss", "activations"): "logits, head's inputs",
        ("loss", "gradients"): "gradients of the tables",
    }
    rows = []
    for (task, kind, _), tensors in groups.items():
        name = said.get((task, kind), tensors[0].name)
        if task.startswith("layer ") and kind in ("activations", "gradients"):
            name = f"layer {int(task.split()[1]) + 1}'s {kind}"
        rows.append((name, kind, sum(tensor.bytes for tensor in tensors), tensors))
    return rows


def _alive(tensor: Tensor, moment: Moment) -> bool:
    return tensor.made < moment.event and (tensor.freed is None or tensor.freed >= moment.event)


def _task(moment: Moment) -> tuple[str, ...]:
    """A task's name without its phase, in one line or two; layers are counted from 1."""
    if moment.phase in ("before", "update"):
        return ("start" if moment.phase == "before" else "update",)
    if moment.task.startswith("layer"):
        return "layer", str(int(moment.task.split()[1]) + 1)
    return (moment.task,)


# What each tensor of a layer is kept for: the operation that leaves it, and what its backward pass computes from it.
NEEDED_BY = {
    "first norm's input": ("first norm", "the norm's derivative"),
    "query, key and value's input": ("queries, keys, values", "gradients of their three matrices"),
    "query": ("scores", "gradient of the keys"),
    "key": ("scores", "gradient of the queries"),
    "value": ("scores × values", "gradient of the scores"),
    "softmax's output": ("softmax", "the softmax's derivative"),
    "score dropout's mask": ("dropout", "the dropout's derivative"),
    "score dropout's output": ("scores × values", "gradient of the values"),
    "log-sum-exp": ("softmax", "the scores, made again"),
    "output projection's input": ("output projection", "gradient of its matrix"),
    "attention dropout's mask": ("dropout", "the dropout's derivative"),
    "second norm's input": ("second norm", "the norm's derivative"),
    "first matrix's input": ("first matrix", "gradient of the matrix"),
    "activation function's input": ("GeLU", "the GeLU's derivative"),
    "second matrix's input": ("second matrix", "gradient of the matrix"),
    "feed-forward dropout's mask": ("dropout", "the dropout's derivative"),
}

# Where a name of the list would mean two things beside the picture's text.
CALLED = {"activation function's input": "GeLU's input"}


def stored_tensors_panel(tensors: Sequence[StoredTensor], *, values: int, width_px: float = 680) -> Panel:
    """Draw what a layer keeps: an operation, the tensor kept for it as a bar, and what is computed from it later.

    Args:
        tensors: from ``stored_tensors``.
        values: s·b·h, the number of values in the stream, in whose multiples the bars are measured.
        width_px: of the panel.

    Returns:
        The panel, forward from top to bottom.
    """
    values_of = positive_number("values", values)
    row, top, left, right = 23.0, 42.0, 160.0, positive_number("width_px", width_px) - 240
    bars = left + 186
    panel = Panel(width_px, top + row * len(tensors) + 8)
    panel.text(0, 30, "forward: operation", bold=True)
    panel.text(left, 30, "tensor kept for it", bold=True)
    panel.text(bars, 14, "bytes,", bold=True)
    panel.text(bars, 30, "in sbh", bold=True)
    panel.text(right + 14, 30, "backward: needed for", bold=True)
    scale = (right - bars - 48) / max(tensor.bytes for tensor in tensors)
    for number, tensor in enumerate(tensors):
        y = top + number * row
        operation, needed = NEEDED_BY[tensor.name]
        panel.text(0, y + 9, operation, middle=True, size=12)
        panel.text(left, y + 9, CALLED.get(tensor.name, tensor.name), middle=True, size=12)
        wide = max(1.5, tensor.bytes * scale)
        panel.rectangle(bars, y, wide, row - 6, colour="activations", strength=0.5)
        panel.text(bars + wide + 5, y + 9, f"{tensor.bytes / values_of:.3g}", middle=True, size=12)
        panel.text(right + 14, y + 9, needed, middle=True, size=12)
    panel.arrow(left - 12, top, left - 12, panel.height - 6)
    panel.arrow(right, panel.height - 6, right, top)
    return panel


def stored_tensors_rows(tensors: Sequence[StoredTensor], *, values: int, width_px: float = 340) -> Panel:
    """Draw ``stored_tensors_panel`` for a phone: a tensor has two lines, and its bar is in the second.

    Args:
        tensors: from ``stored_tensors``.
        values: s·b·h, the number of values in the stream, in whose multiples the bars are measured.
        width_px: of the panel, from 300.

    Returns:
        The panel, forward from top to bottom.
    """
    values_of = positive_number("values", values)
    width = number_between("width_px", width_px, low=300, high=MOST_PX)
    row, top, bars = 41.0, 40.0, width - 240
    panel = Panel(width, top + row * len(tensors))
    panel.text(0, 14, "tensor kept", bold=True)
    panel.text(width, 14, "by the operation", anchor="end", size=12, colour="muted")
    panel.text(0, 31, "bytes, in sbh", bold=True)
    panel.text(width, 31, "backward: needed for", bold=True, anchor="end")
    scale = bars / max(tensor.bytes for tensor in tensors)
    for number, tensor in enumerate(tensors):
        y = top + number * row
        operation, needed = NEEDED_BY[tensor.name]
        panel.line(0, y, width, y, colour="line")
        panel.text(0, y + 15, CALLED.get(tensor.name, tensor.name), size=12)
        panel.text(width, y + 15, operation, anchor="end", size=12, colour="muted")
        wide = max(1.5, tensor.bytes * scale)
        panel.rectangle(0, y + 21, wide, 15, colour="activations", strength=0.5)
        panel.text(wide + 5, y + 29, f"{tensor.bytes / values_of:.3g}", middle=True, size=12)
        panel.text(width, y + 29, needed, anchor="end", middle=True, size=12)
    return panel
