"""Drawings: a tornado chart, which says how much each factor's range widens the range of a product."""

from __future__ import annotations

import math

from snippets.drawing import Panel
from snippets.foundations.estimation.formulas import Factor, log_half_width, product_range, variance_shares
from snippets.live.axes import Axis
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number

_AXES = (
    Axis(1 / 2, 2, "log", ticks=(1 / 2, 1 / 1.5, 1, 1.5, 2)),
    Axis(1 / 5, 5, "log", ticks=(1 / 4, 1 / 2, 1, 2, 4)),
    Axis(1 / 32, 32, "log", ticks=(1 / 16, 1 / 4, 1, 4, 16)),
)
_LEFT, _WIDE, _ROW = 112.0, 216.0, 30.0
_NAMES = ("operations", "peak share", "time at work", "fourth factor")
_POWERS = (1, -1, -1, -1)


def _knob(name: str, label: str, default: float) -> Number:
    return Number(name, f"{label}, ×/÷", default, 1, 4, 0.01, whole=False)


@live_figure(
    title="What makes the range wide",
    caption="Each bar shows where the product would go if that factor alone moved through its range. The red bar "
    "is the range of the product: half-widths add as squares. The grey one below it adds them straight, as if all "
    "factors were wrong the same way at once. The axis widens when the bars do not fit, up to ×32.",
    knobs=[
        _knob("operations", "Operations", 2),
        _knob("peak_share", "Share of the peak", 2),
        _knob("at_work", "Time at work", 1),
        _knob("fourth", "A fourth factor", 1),
    ],
    named=[
        Named(
            "Two factors of two",
            "Together they reach ×/÷ 2.67, not ×/÷ 4, because half of the time they err in opposite directions.",
            {"operations": 2, "peak_share": 2},
        ),
        Named(
            "Four factors of two",
            "Four reach ×/÷ 4; added straight they would reach ×/÷ 16.",
            {"at_work": 2, "fourth": 2},
        ),
        Named(
            "The question",
            "The bar of the share of the peak is nearly as long as the red one: it causes 85% of the variance.",
            {"operations": 1.05, "peak_share": 1.29, "at_work": 1.1, "fourth": 1},
        ),
        Named(
            "After a trial run",
            "With the share of the peak measured within ×/÷ 1.1, the product is known within ×/÷ 1.15.",
            {"operations": 1.05, "peak_share": 1.1, "at_work": 1.1, "fourth": 1},
        ),
        Named(
            "The 70B on 256 GPUs",
            "The days are known within ×/÷ 1.32, and the share of the peak causes 85% of the variance.",
            {"operations": 1.05, "peak_share": 1.29, "at_work": 1.1, "fourth": 1},
        ),
    ],
    opens="The question",
)
def tornado(*, operations: float, peak_share: float, at_work: float, fourth: float) -> Picture:
    """Draw one bar a factor, the widest on top, and below them the range of the product in two ways."""
    spreads = (operations, peak_share, at_work, fourth)
    factors = [Factor(n, 1 / f, f, p) for n, f, p in zip(_NAMES, spreads, _POWERS, strict=True)]
    low, high = product_range(factors)
    together, straight = math.exp(log_half_width(low=low, high=high)), math.prod(spreads)
    axis = next((axis for axis in _AXES if straight <= axis.high), _AXES[-1])
    rows = sorted(zip(variance_shares(factors), spreads, _NAMES, strict=True), key=lambda row: (-row[0], row[2]))
    panel = Panel(340, 46 + _ROW * 6 + 34)
    panel.text(4, 14, "Time, against its middle", bold=True)
    for mark in axis.marks():
        x = _LEFT + _WIDE * axis.share(mark)
        panel.line(x, 26, x, 42 + _ROW * 6, colour="line")
        name = f"×{mark:g}" if mark >= 1 else f"÷{1 / mark:.3g}"
        panel.text(x, 42 + _ROW * 6 + 16, name, anchor="middle", colour="muted", size=12)
    for number, (share, spread, name) in enumerate(rows):
        _bar(panel, axis, number, name, spread, f"{share:.0%}", "accent")
    _bar(panel, axis, 4, "together", together, f"×/÷ {together:.3g}", "communication")
    _bar(panel, axis, 5, "straight", straight, f"×/÷ {straight:.3g}", "idle")
    share, _, widest = rows[0]
    said = f"No factor causes more of the variance than {widest}: {share:.0%}." if share else "All factors are exact."
    numbers = (
        f"The product is known within ×/÷ {together:.3g}; added straight, the half-widths would make it ×/÷ "
        f"{straight:.3g}. {said}"
    )
    alt = (
        "Six bars on one logarithmic axis around ×1. From the top, with their shares of the variance: "
        + ", ".join(f"{name} ×/÷ {spread:.3g} ({part:.0%})" for part, spread, name in rows)
        + f". Below them the product, ×/÷ {together:.3g}, and the straight sum, ×/÷ {straight:.3g}."
    )
    return Picture([panel], numbers, alt)


def _bar(panel: Panel, axis: Axis, row: int, name: str, spread: float, said: str, colour: str) -> None:
    """Draw a bar from ÷spread to ×spread, cut off at the axis's ends, with its name and what is said beside it."""
    y = 40 + _ROW * row
    shown = min(spread, axis.high)
    a, b = (_LEFT + _WIDE * axis.share(end) for end in (1 / shown, shown))
    panel.rectangle(a, y - 8, b - a, 16, colour=colour, strength=0.35)
    panel.text(4, y, name, size=12, middle=True)
    if b < _LEFT + 150:
        panel.text(b + 6, y, said, size=12, middle=True)
    else:
        panel.text((a + b) / 2, y, said, anchor="middle", size=12, middle=True)
