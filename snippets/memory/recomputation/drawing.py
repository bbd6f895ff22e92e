"""Drawings: a recomputation plan, task by task, and what each tensor of a layer costs to make again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snippets.domain import at_most, each, flag, number_between, positive_integer, positive_number, text
from snippets.drawing import Panel
from snippets.memory.recomputation.formulas import RecomputationPlan
from snippets.memory.recomputation.selective import TensorPrice

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
    named = _legend_places(width)
    panel = Panel(width, floor + (44 + named[-1][1] if legend else 20))
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
    y = floor - plan.peak_bytes * scale
    written = f"{plan.peak_bytes / unit_bytes:.3g}{text('unit', unit)}"
    if budget is None:  # above the column, in the gap below the last layer if it is the highest of all
        panel.text(_LEFT + wide * peak, y - 3, f"most: {written}", size=12, bold=True)
    else:
        panel.text(_LEFT + wide * columns + 4, y + 14, f"most: {written}", size=12, bold=True)
    if budget is not None and budget <= most:
        line = floor - budget * scale
        panel.line(_LEFT, line, _LEFT + wide * columns, line, colour="ink", dashed=True)
    if legend:
        _legend(panel, floor + 24, named)
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


_LEGEND = (
    ("forward", 0.1, 0.0, "forward"),
    ("forward", 0.75, 0.0, "forward, recorded"),
    ("backward", 0.75, 0.0, "backward"),
    ("activations", 1.0, 4.0, "input held"),
    ("activations", 0.3, 14.0, "record held"),
)
"""Colour, strength, name, and the height of what is drawn as a bar."""


def _legend_places(width: float) -> list[tuple[float, float]]:
    """Return where each mark of the legend stands, in as many lines as the panel's width asks for."""
    left = _LEFT if width > 450 else 0.0
    x, y, places = left, 0.0, []
    for *_, name in _LEGEND:
        wide = 40 + 6.6 * len(name)
        if x > left and x + wide - 18 > width:
            x, y = left, y + 20
        places.append((x, y))
        x += wide
    return places


def _legend(panel: Panel, y: float, places: Sequence[tuple[float, float]]) -> None:
    for (colour, strength, height, name), (x, down) in zip(_LEGEND, places, strict=True):
        if height:
            panel.bars([(x, y + down + 5 - height / 2, 16.0, height)], colour=colour, strength=strength)
        else:
            panel.rectangles([(x, y + down - 2, 16.0, 14.0)], colour=colour, strength=strength)
        panel.text(x + 22, y + down + 10, name, size=12, colour="muted")


def _stretches(held: Iterable[bool]) -> list[tuple[int, int]]:
    """Return where runs of True start, and their lengths."""
    runs: list[tuple[int, int]] = []
    for place, here in enumerate(held):
        if here and runs and sum(runs[-1]) == place:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        elif here:
            runs.append((place, 1))
    return runs


MADE_BY = {  # chapter 21 names a tensor by what reads it, chapter 23 by what makes it
    "query, key and value's input": "first norm's output",
    "output projection's input": "attention's output",
    "first matrix's input": "second norm's output",
    "activation function's input": "first matrix's output",
    "second matrix's input": "GeLU's output",
}


def prices_panel(
    prices: Sequence[TensorPrice], *, unit_bytes: float, dropped: Sequence[str] = (), width_px: float = 340
) -> Panel:
    """Draw each tensor's price, the FLOPs that a freed byte costs, and its bytes as a bar.

    Args:
        prices: of a layer's tensors.
        unit_bytes: one unit of the bars.
        dropped: names of those to be drawn hollow.
        width_px: of the panel, from 320.

    Returns:
        The panel.

    Example:
        >>> prices_panel([TensorPrice("query", 2, 8)], unit_bytes=1).height
        63.0
    """
    unit, width = positive_number("unit_bytes", unit_bytes), number_between("width_px", width_px, low=320, high=690)
    left, row = max(230.0, 0.45 * width), 22.0
    listed, gone_names = each("prices", prices, _price), set(each("dropped", dropped, text))
    if not listed:
        raise ValueError(f"prices must hold at least one, got {prices!r}")
    most = max(price.bytes for price in listed)
    scale = (width - left - 34) / most
    panel = Panel(width, 35 + row * len(listed) + 6)
    panel.text(0, 14, "tensor", bold=True)
    panel.text(left - 14, 14, "price", bold=True, anchor="end")
    panel.text(left, 14, "bytes, in sbh", bold=True)
    for number, price in enumerate(listed):
        y = 28 + row * number
        gone = price.name in gone_names
        panel.text(0, y + row / 2, MADE_BY.get(price.name, price.name), middle=True, size=12)
        panel.rectangle(
            left,
            y + 3,
            max(price.bytes * scale, 1.0),
            row - 6,
            colour="activations",
            strength=0.06 if gone else 0.6,
            dashed=gone,
        )
        amount = price.bytes / unit
        panel.text(left + price.bytes * scale + 6, y + row / 2, f"{amount:.3g}", middle=True, size=12)
        cost = f"{price.flops_per_byte:,.0f}"
        panel.text(left - 14, y + row / 2, cost, middle=True, anchor="end", size=12, bold=price.flops == 0)
    return panel


def _price(name: str, value: TensorPrice) -> TensorPrice:
    if not isinstance(value, TensorPrice):
        raise TypeError(f"{name} must hold TensorPrices, got {value!r}")
    return value
