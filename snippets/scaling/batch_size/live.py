"""Drawings: steps and examples of a run against its batch, and what more GPUs would buy."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.job import THE_70B
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number, in_units
from snippets.scaling.batch_size.formulas import batch_examples, batch_steps

_WIDTH, _HEIGHT = 330, 260
_TICKS = (1, 2, 5, 10, 20, 50, 100)


def _against_batch(critical: float, batch: float, grown: float) -> Panel:
    """Draw steps and examples, as multiples of their least, against the batch over the critical one."""
    across = Axis(1 / 64, 64, "log", "batch B, over the critical batch", ticks=(0.1, 1, 10))
    up = Axis(1, 100, "log", ticks=_TICKS)
    plot = Plot(across, up, title="steps and examples, over the fewest", width_px=_WIDTH, height_px=_HEIGHT)
    shares = [2.0 ** (n / 2 - 6) for n in range(25)]
    plot.curve([(x, 1 + 1 / x) for x in shares], colour="accent")
    plot.curve([(x, 1 + x) for x in shares], colour="communication", dashed=True)
    plot.panel.line(plot.x(1), plot.top, plot.x(1), plot.bottom, dashed=True)
    plot.panel.text(plot.x(1) + 5, plot.top + 14, "critical batch", size=12)
    plot.panel.text(plot.x(1 / 13), plot.y(26), "steps", colour="accent", size=12)
    plot.panel.text(plot.x(13), plot.y(26), "examples", colour="communication", size=12, anchor="end")
    for size, radius in ((batch, 5.0), (grown, 3.5)):
        x = size / critical
        if 1 / 64 <= x <= 64:
            plot.dots([(x, 1 + 1 / x)], colour="accent", radius=radius)
            plot.dots([(x, 1 + x)], colour="communication", radius=radius)
    return plot.panel


def _hyperbola(critical: float, batch: float, grown: float) -> Panel:
    """Draw examples against steps, both as multiples of their least, with the two batches on the curve."""
    plot = Plot(
        Axis(1, 100, "log", "steps, over the fewest", ticks=_TICKS),
        Axis(1, 100, "log", ticks=_TICKS),
        title="examples, over the fewest",
        width_px=_WIDTH,
        height_px=_HEIGHT,
    )
    shares = [2.0 ** (n / 2 - 6.5) for n in range(27)]
    plot.curve([(1 + 1 / x, 1 + x) for x in shares], colour="muted")
    lowest = plot.bottom
    for size, radius, hue, name in ((batch, 6.0, "ink", "your batch"), (grown, 4.0, "accent", "with more GPUs")):
        x = size / critical
        plot.dots([(1 + 1 / x, 1 + x)], colour=hue, radius=radius)
        across, up = plot.x(1 + 1 / x), plot.y(1 + x)
        if (hue == "ink" or up < lowest - 24) and plot.top + 20 < up:
            lowest = up
            right = across > plot.right - 110
            place = (plot.right - 2, up - 12) if right else (across + 10, up - 8)
            plot.panel.text(*place, name, anchor="end" if right else "start", colour=hue, size=12)
    return plot.panel


@live_figure(
    title="Steps and examples against the batch",
    opens="At the critical batch",
    caption="First panel: steps (solid) and examples (dashed), as multiples of the fewest. Second: one against the "
    "other; every batch is a point of the same hyperbola. Large dots: your batch. Small dots: the batch with more "
    "GPUs, each with its share as before.",
    knobs=[
        Number("batch", "Batch B", 4, 1, 2**14, 2, "log"),
        Number("critical", "Critical batch", 4, 1, 2**14, 2, "log"),
        Number("workers", "Times as many GPUs ρ", 2, 1, 64, 2, "log"),
        Number("days", "Days of the run today", 24, 1, 365),
    ],
    named=[
        Named(
            "At the critical batch",
            "Twice the GPUs take 75% of the time, where perfect scaling would take 50%, and 150% of the GPU hours.",
            {"batch": 64, "critical": 64, "workers": 2},
        ),
        Named(
            "Far below",
            "At a sixteenth of the critical batch, twice the GPUs take 52.9% of the time and 106% of the GPU hours.",
            {"critical": 64, "workers": 2},
        ),
        Named(
            "Far above",
            "At sixteen times the critical batch, twice the GPUs take 97.1% of the time and 194% of the GPU hours.",
            {"batch": 64, "workers": 2},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Kaplan's fit puts the critical batch at 959 sequences at the end of the run. Twice the GPUs, with "
            "twice the batch, would take 67.4% of the time and 135% of the GPU hours.",
            {"batch": THE_70B.batch_sequences, "critical": 959, "workers": 2, "days": 68},
        ),
    ],
)
def steps_and_examples_against_batch(*, batch: int, critical: int, workers: int, days: int = 24) -> Picture:
    """Draw the trade of steps against examples, and what ρ times as many GPUs do to time and GPU hours."""
    grown = batch * workers
    one = {"critical_batch": critical, "fewest_steps": 1.0}
    steps, more = (batch_steps(batch_size=size, **one) for size in (batch, grown))
    seen, later = (batch_examples(batch_size=size, **one) / critical for size in (batch, grown))
    time, hours = more / steps, workers * more / steps
    numbers = (
        f"B = {in_units(batch)}, critical batch {in_units(critical)}: {in_units(steps)} times the fewest steps, "
        f"{in_units(seen)} times the fewest examples."
    )
    if workers > 1:
        numbers += (
            f" With {in_units(workers)} times the GPUs, B = {in_units(grown)}: {in_units(100 * time)}% of the time, "
            f"{in_units(days * time)} days instead of {in_units(days)} (perfect would be {in_units(100 / workers)}%, "
            f"{in_units(days / workers)} days), and {in_units(100 * hours)}% of the GPU hours."
        )
    alt = (
        "First: steps fall and examples rise with the batch; they cross at the critical batch, at twice the least. "
        f"Your batch is at {in_units(steps)} and {in_units(seen)}. Second: a hyperbola, with your batch there, and the "
        f"larger one at {in_units(more)} times the fewest steps and {in_units(later)} times the fewest examples."
    )
    panels = [_against_batch(critical, batch, grown), _hyperbola(critical, batch, grown)]
    return Picture(panels, numbers, alt, idle=() if workers > 1 else ("days",))
