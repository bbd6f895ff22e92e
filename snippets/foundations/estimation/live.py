"""Drawings: a tornado chart, which says how much each factor's range widens the range of a product, and its risk."""

from __future__ import annotations

import math
from statistics import NormalDist

from snippets.drawing import Anchor, Panel
from snippets.foundations.estimation.formulas import (
    COVERAGE,
    Factor,
    log_half_width,
    product_range,
    variance_shares,
)
from snippets.live.axes import Axis
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number

_AXES = (
    Axis(1 / 1.5, 1.5, "log", ticks=(1 / 1.4, 1 / 1.2, 1, 1.2, 1.4)),
    Axis(1 / 2, 2, "log", ticks=(1 / 2, 1 / 1.5, 1, 1.5, 2)),
    Axis(1 / 5, 5, "log", ticks=(1 / 4, 1 / 2, 1, 2, 4)),
    Axis(1 / 32, 32, "log", ticks=(1 / 16, 1 / 4, 1, 4, 16)),
)
_LEFT, _WIDE, _ROW = 108.0, 172.0, 30.0
_NAMES = ("FLOPs", "peak share", "time at work", "fourth factor")
_POWERS = (1, -1, -1, -1)


def _knob(name: str, label: str, default: float) -> Number:
    return Number(name, f"{label}, ×/÷", default, 1, 4, 0.01, whole=False)


def _whole(days: float) -> str:
    return f"{days:.0f}" if days >= 10 else f"{days:.3g}"


_ASKED = {"operations": 1.05, "peak_share": 1.29, "at_work": 1.1, "fourth": 1}


@live_figure(
    title="What makes the range wide",
    caption="Each bar shows where the days would go if that factor alone moved through its range, with its share of "
    "the variance. The red bar is the range of the product: half-widths add as squares. The grey one below it adds "
    "them straight, as if all factors were wrong the same way at once. At 1, a factor is exact. Each range holds the "
    "middle 80%, and the chance of ending late assumes that the logarithm of the days is normal.",
    knobs=[
        _knob("operations", "FLOPs", 2),
        _knob("peak_share", "Share of the peak", 2),
        _knob("at_work", "Time at work", 1),
        _knob("fourth", "A fourth factor", 1),
        Number("middle", "Middle, days", 83.4, 1, 200, 0.1, whole=False),
        Number("booked", "Machines booked for, days", 90, 1, 400),
    ],
    named=[
        Named(
            "The question",
            "The run ends late with a chance of 36%, and the share of the peak causes 85% of the variance.",
            _ASKED,
        ),
        Named(
            "After a trial run",
            "With the share of the peak known within ×/÷ 1.1 and a middle of 78.7, it ends late with a chance of 12%.",
            {**_ASKED, "peak_share": 1.1, "middle": 78.7},
        ),
        Named(
            "Four factors of two",
            "Four reach ×/÷ 4; added straight they would reach ×/÷ 16.",
            {"at_work": 2, "fourth": 2},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Its range is 59 to 101 days, and with 90 days booked it ends late with a chance of 23%.",
            {**_ASKED, "at_work": 1.05, "middle": 77.3},
        ),
    ],
    opens="The question",
)
def tornado(
    *, operations: float, peak_share: float, at_work: float, fourth: float, middle: float, booked: float
) -> Picture:
    """Draw one bar a factor, the widest on top, and below them the range of the product in two ways."""
    spreads = (operations, peak_share, at_work, fourth)
    factors = [Factor(n, 1 / f, f, p) for n, f, p in zip(_NAMES, spreads, _POWERS, strict=True)]
    low, high = product_range(factors)
    together, straight = math.exp(log_half_width(low=low, high=high)), math.prod(spreads)
    axis = next((axis for axis in _AXES if straight <= axis.high), _AXES[-1])
    rows = sorted(zip(variance_shares(factors), spreads, _NAMES, strict=True), key=lambda row: (-row[0], row[2]))
    panel = Panel(340, 54 + _ROW * 6 + 34)
    panel.text(4, 14, "Days of the run", bold=True)
    panel.text(338, 29, "of ω²", anchor="end", size=12)
    bottom = 46 + _ROW * 6
    for mark in axis.marks():
        x = _LEFT + _WIDE * axis.share(mark)
        panel.line(x, 34, x, bottom, colour="line")
        panel.text(x, bottom + 16, _whole(middle * mark), anchor="middle", colour="muted", size=12)
    panel.text(4, bottom + 16, "days", colour="muted", size=12)
    for number, (share, spread, name) in enumerate(rows):
        _bar(panel, axis, number, name, spread, f"{share:.0%}", "accent")
    days = f"{_whole(middle * low)} to {_whole(middle * high)}"
    _bar(panel, axis, 4, f"{days} days", together, f"×/÷ {together:.3g}", "communication")
    _bar(panel, axis, 5, "straight", straight, f"×/÷ {straight:.3g}", "idle")
    if 1 / axis.high <= booked / middle <= axis.high:
        x = _LEFT + _WIDE * axis.share(booked / middle)
        panel.line(x, 34, x, bottom, colour="communication", dashed=True)
        anchor: Anchor = "end" if x > 200 else "start"
        panel.text(x, 29, f"booked: {booked:g}", anchor=anchor, colour="communication", size=12)
    late = _chance_of_more(booked / middle, together)
    share, _, widest = rows[0]
    if share > 0.5:
        said = f"Most of the variance, {share:.0%}, comes from {widest}."
    elif share:
        said = f"No factor causes more of the variance than {widest}: {share:.0%}."
    else:
        said = "All factors are exact."
    numbers = (
        f"The run takes {days} days, within ×/÷ {together:.3g} of {middle:g}; added straight, the half-widths would "
        f"make it ×/÷ {straight:.3g}. {said} With {booked:g} days booked, it ends late with a chance of {late:.0%}."
    )
    alt = (
        "Six bars on one logarithmic axis of days. From the top, with their shares of the variance: "
        + ", ".join(f"{name} ×/÷ {spread:.3g} ({part:.0%})" for part, spread, name in rows)
        + f". Below them the product, {days} days, and the straight sum, ×/÷ {straight:.3g}. A dashed line for what is "
        f"booked: {booked:g} days."
    )
    return Picture([panel], numbers, alt)


def _chance_of_more(ratio: float, within: float) -> float:
    """Return the chance of more than ``ratio`` times the middle, where 80% lie within a factor of it."""
    if within == 1:
        return float(ratio < 1)
    upper_decile = NormalDist().inv_cdf((1 + COVERAGE) / 2)
    return NormalDist().cdf(-upper_decile * math.log(ratio) / math.log(within))


def _bar(panel: Panel, axis: Axis, row: int, name: str, spread: float, said: str, colour: str) -> None:
    """Draw a bar from ÷spread to ×spread, cut off at the axis's ends, with its name and what is said at the right."""
    y = 48 + _ROW * row
    shown = min(spread, axis.high)
    a, b = (_LEFT + _WIDE * axis.share(end) for end in (1 / shown, shown))
    panel.rectangle(a, y - 8, b - a, 16, colour=colour, strength=0.35)
    panel.text(4, y, name, size=12, middle=True)
    panel.text(338, y, said, anchor="end", size=12, middle=True)
