"""Drawings: a recomputation plan, task by task: what runs, what is kept meanwhile, and how much is held."""

from __future__ import annotations

from collections.abc import Iterable

from snippets.domain import at_most, flag, number_between, positive_integer, positive_number, text
from snippets.drawing import Panel
from snippets.memory.recomputation.formulas import RecomputationPlan

_LEFT, _HELD = 62.0, 56.0


def plan_panel(
    plan: RecomputationPlan,
    *,
    title: str = "",
    columns: int | None = None,
    most_bytes: int | None = None,
    budget_bytes: int | None = None,
    unit_bytes: float = 1,
    unit: str = "",
    width: float = 690,
    legend: bool = False,
) -> Panel:
    """Draw a plan: a row for each layer, a column for each task, and below what is held.

    Args:
        plan: with its moments.
        title: above it.
        columns: how many columns the time axis has, for panels that stand on one axis.
        most_bytes: where the axis of what is held ends; at this plan's peak if ``None``.
        budget_bytes: where to draw a line; none if ``None``.
        unit_bytes: what is held is written in multiples of this.
        unit: written behind them.
        width: of the panel, in pixels, from 1 to 1,000,000.
        legend: whether to say below what the marks mean.

    Returns:
        The panel.

    Raises:
        ValueError: if the plan has no moments, or more than ``columns``.

    Example:
        >>> from snippets.memory.recomputation.formulas import cheapest_recomputation_plan, uniform_chain
        >>> plan = cheapest_recomputation_plan(uniform_chain(2), budget_bytes=9)
        >>> plan_panel(plan, columns=5, most_bytes=9, budget_bytes=9).width
        690.0
    """
    if not isinstance(plan, RecomputationPlan):
        raise TypeError(f"plan must be a RecomputationPlan, got {plan!r}")
    moments, legend = plan.moments, flag("legend", legend)
    if not moments:
        raise ValueError("plan must have at least one moment, got none")
    columns = len(moments) if columns is None else at_most("columns", positive_integer("columns", columns))
    if columns < len(moments):
        raise ValueError(f"columns must be at least {len(moments)}, the plan's tasks, got {columns}")
    most = max(plan.peak_bytes, 1) if most_bytes is None else positive_integer("most_bytes", most_bytes)
    budget = None if budget_bytes is None else positive_integer("budget_bytes", budget_bytes)
    unit_bytes, width = positive_number("unit_bytes", unit_bytes), number_between("width", width, low=1, high=1e6)
    layers = max(moment.task.layer for moment in moments)
    row = 22.0 if layers <= 6 else 16.0
    top = 24.0 if text("title", title) else 4.0
    wide = (width - _LEFT - 64) / columns
    floor = top + row * layers + 14 + _HELD
    panel = Panel(width, floor + (44 if legend else 20))
    if title:
        panel.text(0, 14, title, bold=True)
    for layer in range(1, layers + 1):
        y = top + row * (layer - 1)
        panel.text(_LEFT - 8, y + row / 2, f"layer {layer}", anchor="end", middle=True, size=12, colour="muted")
        panel.bars(
            [
                (_LEFT + wide * start, y + 1.0, wide * length, row - 2)
                for start, length in _stretches(layer in moment.records for moment in moments)
            ],
            colour="activations",
            strength=0.3,
        )
        panel.bars(
            [
                (_LEFT + wide * start, y + row - 5, wide * length, 4.0)
                for start, length in _stretches(layer - 1 in moment.inputs for moment in moments)
            ],
            colour="activations",
            strength=1,
        )
        _tasks(panel, plan, layer, y, row, wide)
    scale = _HELD / most
    panel.rectangles(
        [(_LEFT + wide * i, floor - m.held_bytes * scale, wide, m.held_bytes * scale) for i, m in enumerate(moments)],
        colour="activations",
        strength=0.55,
    )
    panel.line(_LEFT, floor, _LEFT + wide * columns, floor)
    panel.text(_LEFT - 8, floor - _HELD / 2, "held", anchor="end", middle=True, size=12, colour="muted")
    peak = next(i for i, moment in enumerate(moments) if moment.held_bytes == plan.peak_bytes)
    x, y = _LEFT + wide * (columns if budget else peak + 1) + 4, floor - plan.peak_bytes * scale
    written = f"{plan.peak_bytes / unit_bytes:.3g}{text('unit', unit)}"
    panel.text(x, y + 14 if budget else y + 5, f"most: {written}", size=12, bold=True)
    if budget is not None and budget <= most:
        line = floor - budget * scale
        panel.line(_LEFT, line, _LEFT + wide * columns, line, colour="ink", dashed=True)
    if legend:
        _legend(panel, floor + 24)
    return panel


def _tasks(panel: Panel, plan: RecomputationPlan, layer: int, y: float, row: float, wide: float) -> None:
    """Draw a layer's tasks over what it holds."""
    looks = {
        "forward": ("forward", 0.1),
        "keep": ("forward", 0.1),
        "record": ("forward", 0.75),
        "backward": ("backward", 0.75),
    }
    own = [(i, moment.task) for i, moment in enumerate(plan.moments) if moment.task.layer == layer]
    for kinds in (("forward", "keep"), ("record",), ("backward",)):
        boxes = [
            (_LEFT + wide * i + 0.5, y + 1.5, max(wide - 1, 1.0), row - 7.5) for i, task in own if task.kind in kinds
        ]
        colour, strength = looks[kinds[0]]
        panel.rectangles(boxes, colour=colour, strength=strength)
    if wide >= 11:
        letters = ["B" if task.kind == "backward" else "F" for _, task in own]
        panel.signs([_LEFT + wide * (i + 0.5) for i, _ in own], y + (row - 4.5) / 2, letters, size=12)


def _legend(panel: Panel, y: float) -> None:
    marks = (("forward", 0.1, "forward"), ("forward", 0.75, "forward, recorded"), ("backward", 0.75, "backward"))
    x = _LEFT
    for colour, strength, name in marks:
        panel.rectangles([(x, y - 2, 16.0, 14.0)], colour=colour, strength=strength)
        panel.text(x + 22, y + 10, name, size=12, colour="muted")
        x += 40 + 6.6 * len(name)
    for height, strength, name in ((4.0, 1.0, "input held"), (14.0, 0.3, "record held")):
        panel.bars([(x, y + 5 - height / 2, 16.0, height)], colour="activations", strength=strength)
        panel.text(x + 22, y + 10, name, size=12, colour="muted")
        x += 40 + 6.6 * len(name)


def _stretches(held: Iterable[bool]) -> list[tuple[int, int]]:
    """Return where runs of True start, and their lengths."""
    runs: list[tuple[int, int]] = []
    for place, here in enumerate(held):
        if here and runs and sum(runs[-1]) == place:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        elif here:
            runs.append((place, 1))
    return runs
