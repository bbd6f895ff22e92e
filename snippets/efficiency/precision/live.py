"""Drawings: the live figure of chapter 32: what faster matmuls buy of a whole step."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.efficiency.precision.formulas import mixed_format_flops_per_s, partial_speedup
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number

_WIDTH = 328


@live_figure(
    title="What a faster format buys",
    caption="First raise the peak, then the share of the step: which of the two moves the step more? All times are "
    "shares of the step before. Quantizing counts as time that the new format adds.",
    knobs=[
        Number("share", "Share of the step in these matmuls φ, %", 66, 0, 100, 1),
        Number("peak", "The new format's peak, times the old one's", 2, 1, 4, 0.5, whole=False),
        Number("before", "They reach of the old peak, %", 67, 20, 100, 1),
        Number("after", "They reach of the new peak, %", 61, 20, 100, 1),
        Number("kept", "Of them, kept in the old format, %", 0, 0, 100, 1),
        Number("added", "Quantizing adds to the step, %", 0, 0, 30, 1),
    ],
    named=[
        Named("The question", "The peak doubles, and the step gets only 42% faster.", {"peak": 2}),
        Named("Twice, at no loss", "Even at the full ratio of the peaks it's 49%.", {"after": 67}),
        Named("A peak three times as high", "On paper three times, for the step 72%.", {"peak": 3}),
        Named(
            "The 70B on 256 GPUs",
            "Matmuls that are 1.75 times as fast make the step 54% faster.",
            {"share": 82, "before": 65, "after": 57},
        ),
    ],
    opens="The question",
)
def format_speedup_figure(*, share: int, peak: float, before: int, after: int, kept: int, added: int) -> Picture:
    """Draw a step before and after, and its speed-up for every share."""
    faster = peak * after / before
    rates = mixed_format_flops_per_s(flops=[kept / 100, 1 - kept / 100], flops_per_s=[1.0, faster])
    matmuls = share / 100 / rates
    total = 1 - share / 100 + matmuls + added / 100
    gain = 1 / total
    numbers = (
        f"These matmuls get {rates:.2f} times as fast. Before: {share}% of the step in them. After: "
        f"{100 * matmuls:.0f}% of the old step in them, {100 - share}% in everything else"
        + (f", {added}% in quantizing" if added else "")
        + f". {_said(gain)} If these matmuls took no time at all, "
        + ("there would be no limit." if share == 100 and not added else f"it would be {_most(share, added)}.")
    )
    alt = (
        f"First: two bars on one axis, the step before, {share}% of it in the matmuls that change, and after, "
        f"{100 * total:.0f}% as long. Second: the gain against the share of the step in these matmuls, a curve that "
        f"bends upwards, with a dot at {share}% and {100 * (gain - 1):.0f}%."
    )
    return Picture([_bars(share / 100, matmuls, added / 100), _curve(rates, share, added, gain)], numbers, alt)


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


def _bars(share: float, matmuls: float, added: float) -> Panel:
    """Draw the step before and after as stacked bars on one axis."""
    panel = Panel(_WIDTH, 168)
    longest = max(1.0, 1 - share + matmuls + added)
    scale = (_WIDTH - 4) / longest
    rows = {
        "before": (("forward", share), ("idle", 1 - share)),
        "after": (("forward", matmuls), ("idle", 1 - share), ("communication", added)),
    }
    for number, (title, parts) in enumerate(rows.items()):
        y = 54.0 * number
        panel.text(0, y + 13, f"The step {title}", bold=True)
        x = 2.0
        for hue, length in parts:
            panel.rectangle(x, y + 20, length * scale, 26, colour=hue, strength=0.5)
            x += length * scale
    for number, (hue, words) in enumerate(
        (("forward", "these matmuls"), ("idle", "everything else"), ("communication", "quantizing"))
    ):
        x, y = (2.0, 120.0) if number == 0 else (150.0, 120.0) if number == 1 else (2.0, 144.0)
        panel.rectangle(x, y, 14, 14, colour=hue, strength=0.5)
        panel.text(x + 22, y + 7, words, middle=True)
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
