"""Drawings: the live figure of chapter 32: what faster matmuls buy of a whole step."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.efficiency.precision.formulas import mixed_format_flops_per_s, partial_speedup
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number

_WIDTH = 328
_PEAKS = {"before": 5000, "after": 10000, "kept": 0}


@live_figure(
    title="What a faster format buys",
    caption="First let FP4 run every layer, then keep a part of them in the wide format: how much of the gain does "
    "that part cost? All times are shares of the step before. Quantizing counts as time that the new format adds.",
    knobs=[
        Number("share", "Matmuls that change, % of the step φ", 53, 0, 100, 1),
        Number("before", "Their rate before, TFLOP/s", 3600, 100, 15000, 10),
        Number("after", "Their rate after, TFLOP/s", 6100, 100, 15000, 10),
        Number("kept", "Kept wide, % of their FLOPs", 0, 0, 100, 1),
        Number("wide", "Rate of those, TFLOP/s", 1800, 100, 15000, 10),
        Number("added", "Quantizing adds, % of the step", 0, 0, 30, 1),
    ],
    named=[
        Named("The question", "If no layer is kept wide, the step gets 28% faster.", {"kept": 0}),
        Named("15% in BF16", "With 15% of the FLOPs kept wide it's 12%.", {"kept": 15}),
        Named(
            "The data sheet's factor of 2",
            "With the same share it's 36%, as measured. But at its peak the old format would take a smaller share.",
            _PEAKS,
        ),
        Named("With quantizing", "If quantizing adds 5% of the step, 20% is left.", {"added": 5}),
        Named(
            "The 70B on 256 GPUs",
            "To eight bits: matmuls that are 1.75 times as fast make the step 54% faster.",
            {"share": 82, "before": 640, "after": 1120, "kept": 0},
        ),
    ],
    opens="The question",
)
def format_speedup_figure(*, share: int, before: int, after: int, kept: int, wide: int, added: int) -> Picture:
    """Draw a step before and after, and its speed-up for every share."""
    rates = mixed_format_flops_per_s(flops=[kept / 100, 1 - kept / 100], flops_per_s=[wide, after]) / before
    old = share / 100
    stays = old * kept / 100 * before / wide
    matmuls = old / rates
    total = 1 - old + matmuls + added / 100
    gain = 1 / total
    numbers = (
        f"These matmuls get {rates:.2f} times as fast. Before: {share}% of the step in them. After: "
        f"{100 * (matmuls - stays):.0f}% of the old step in them"
        + (f", {100 * stays:.0f}% in the {kept}% that are kept wide" if kept else "")
        + f", {100 - share}% in everything else"
        + (f", {added}% in quantizing" if added else "")
        + f". {_said(gain)} If these matmuls took no time at all, "
        + ("there would be no limit." if share == 100 and not added else f"it would be {_most(share, added)}.")
    )
    alt = (
        f"First: two bars on one axis, the step before, {share}% of it in the matmuls that change, and after, "
        f"{100 * total:.0f}% as long. Second: the gain against the share of the step in these matmuls, "
        f"with a dot at {share}% and {100 * (gain - 1):.0f}%."
    )
    panels = [_bars(old, matmuls - stays, stays, added / 100), _curve(rates, share, added, gain)]
    return Picture(panels, numbers, alt, idle=() if kept else ("wide",))


def _said(gain: float) -> str:
    """Say how much faster or slower the step gets."""
    change = 100 * (gain - 1)
    if abs(change) < 0.5:
        return "The step takes as long as before."
    return f"The step gets {abs(change):.0f}% {'faster' if change > 0 else 'slower'}."


def _most(share: int, added: int) -> str:
    """Write the gain that is left if the matmuls take no time."""
    rest = 1 - share / 100 + added / 100
    return f"{100 * (1 / rest - 1):.0f}% faster" if rest <= 1 else f"{100 * (1 - 1 / rest):.0f}% slower"


def _bars(share: float, matmuls: float, stays: float, added: float) -> Panel:
    """Draw the step before and after as stacked bars on one axis."""
    panel = Panel(_WIDTH, 168)
    longest = max(1.0, 1 - share + matmuls + stays + added)
    scale = (_WIDTH - 4) / longest
    names = {
        "forward": "these matmuls",
        "optimizer": "kept wide",
        "idle": "everything else",
        "communication": "quantizing",
    }
    rows = {
        "before": {"forward": share, "idle": 1 - share},
        "after": {"forward": matmuls, "optimizer": stays, "idle": 1 - share, "communication": added},
    }
    for number, (title, parts) in enumerate(rows.items()):
        y = 54.0 * number
        panel.text(0, y + 13, f"The step {title}", bold=True)
        x = 2.0
        for hue, length in parts.items():
            panel.rectangle(x, y + 20, length * scale, 26, colour=hue, strength=0.5)
            x += length * scale
    drawn = [hue for hue in names if any(parts.get(hue, 0) > 0 for parts in rows.values())]
    for number, hue in enumerate(drawn):
        x, y = 2.0 + 148 * (number % 2), 120.0 + 24 * (number // 2)
        panel.rectangle(x, y, 14, 14, colour=hue, strength=0.5)
        panel.text(x + 22, y + 7, names[hue], middle=True)
    return panel


def _curve(rates: float, share: int, added: int, gain: float) -> Panel:
    """Draw the gain for every share of the step."""

    def at(percent: float) -> float:
        """Return the gain, %, at a share."""
        return 100 * (1 / (1 / partial_speedup(share=percent / 100, speedup=rates) + added / 100) - 1)

    points = [(percent, at(percent)) for percent in range(0, 101, 2)]
    top = max(10.0, *(value for _, value in points))
    low = min(0.0, *(value for _, value in points))
    most = next((each for each in (20, 50, 100, 200, 300, 500, 1000, 2000) if each >= top), 2000)
    least = 0 if low >= 0 else next(each for each in (-20, -50, -80, -100) if each <= low)
    plot = Plot(
        Axis(0, 100, label="share of the step in these matmuls, %"),
        Axis(least, most),
        title="The step gets faster by, %",
        width_px=_WIDTH,
    )
    plot.curve(points, colour="accent")
    value = 100 * (gain - 1)
    plot.dots([(share, value)], colour="accent", radius=5)
    x, y = plot.x(share), plot.y(value)
    right = x < plot.left + 90
    plot.panel.text(
        x + 10 if right else x - 10,
        max(y - 10, plot.top + 12),
        f"{value:.0f}%",
        bold=True,
        anchor="start" if right else "end",
    )
    return plot.panel
