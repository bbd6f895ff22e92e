"""Drawings: a ladder of runs, and where a straight line and a law with a floor carry it."""

from __future__ import annotations

import math
import random

from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number
from snippets.scaling.loss_surface.compute_law import ComputeLaw, compute_law_loss_nats, fit_compute_law, log_log_line

_FIRST, _WIDTH = 1e18, 330.0
_REDUCIBLE, _EXPONENT = 1.75, 0.171  # with a floor of 1.75, the law that the chapter fits to its five runs
_QUESTION = (0.0, -0.025, 0.251, -0.341, 0.086)  # noise of the chapter's five runs, in standard deviations of 0.35%


def _noise(draw: int, count: int) -> list[float]:
    """Return standard normal numbers, the same on every machine up to rounding; draw 0 begins as the question's."""
    source = random.Random(1000 + draw)
    drawn = [
        math.sqrt(-2 * math.log(1 - source.random())) * math.cos(2 * math.pi * source.random()) for _ in range(count)
    ]
    return [*_QUESTION, *drawn][:count] if draw == 0 else drawn


def _across(first: float, powers: int) -> Axis:
    """Return the axis of the compute, from a first run over so many powers of ten."""
    low = math.log10(first)
    ticks = range(math.ceil(low - 0.25), math.floor(low + powers + 0.25) + 1, 1 if powers < 6 else 2)
    return Axis(low - 0.25, low + powers + 0.25, label="compute C in FLOPs, as a power of 10", ticks=tuple(ticks))


def _written(flops: float) -> str:
    """Write a compute as a power of ten, with the number before it where that is not 1.

    >>> _written(1e21), _written(5.97e23)
    ('10²¹', '6.0·10²³')
    """
    digits, power = f"{flops:.1e}".split("e")
    raised = "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(int(power)))
    return raised if digits == "1.0" else f"{digits}·{raised}"


def _loss_ticks(low: float, high: float) -> tuple[float, ...]:
    fine = (1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 5)
    return tuple(tick for tick in (fine if high < 3 * low else (0.2, 0.3, 0.5, 1, 1.5, 2, 3, 4)) if low <= tick <= high)


def _compute(first: float, power: float) -> float:
    """Return so many times the first run; half a power of ten counts as 3, as in the chapter's question."""
    return first * (3 * 10 ** (power - 0.5) if power % 1 == 0.5 else 10**power)


def _errors(compute: list[float], losses: list[float], line: ComputeLaw, fitted: ComputeLaw, decades: int) -> Panel:
    """Draw by how many per cent each run lies above either law."""
    rows = [
        (math.log10(C), *(100 * math.log(loss / compute_law_loss_nats(C, law=law)) for law in (line, fitted)))
        for C, loss in zip(compute, losses, strict=True)
    ]
    most = 1.5 * max(0.5, *(abs(error) for row in rows for error in row[1:]))
    plot = Plot(
        _across(compute[0], decades), Axis(-most, most), title="Runs above the fits, %", width_px=_WIDTH, height_px=290
    )
    plot.panel.line(plot.left, plot.y(0), plot.right, plot.y(0))
    for place, colour in ((1, "communication"), (2, "accent")):
        plot.dots([(row[0], row[place]) for row in rows], colour=colour)
    plot.panel.text(plot.left + 8, plot.top + 16, "• straight line", colour="communication", size=12)
    plot.panel.text(plot.right - 8, plot.top + 16, "• with a floor", anchor="end", colour="accent", size=12)
    return plot.panel


def _labels(plot: Plot, target: float, *, by_line: float, laws: tuple[ComputeLaw, ...]) -> None:
    """Write the laws' names at their ends: the line's below its own, the others above all curves."""
    x = plot.x(math.log10(target)) - 8
    wide, axis = 78.0, plot.across
    start = 10 ** (axis.low + axis.span * (x - wide - plot.left) / (plot.right - plot.left))
    y = max(plot.y(max(compute_law_loss_nats(start, law=law) for law in laws)) - 8, plot.top + 44)
    plot.panel.text(x, y - 15, "supposed", anchor="end", colour="muted", size=12)
    plot.panel.text(x, y, "with a floor", anchor="end", colour="accent", size=12)
    y = min(plot.y(by_line) + 16, plot.bottom - 6)
    plot.panel.text(x, y, "straight line", anchor="end", colour="communication", size=12)


@live_figure(
    title="Carry a ladder on",
    opens="The question",
    caption="We suppose a law: grey, with the floor that is set and an exponent of 0.171. Dots: runs drawn from "
    "it, at first the question's own. Red, dashed: the straight line through them. Blue: the law with a floor that "
    "fits them best, which at first hides the grey one. The dashed upright line marks the compute that you ask for. "
    "Second picture: how far the runs lie above both fits.",
    knobs=[
        Number("first", "Compute of the first, FLOP", _FIRST, 1e16, 1e20, 10**0.1, "log", whole=False),
        Number("runs", "Runs", 3, 3, 12),
        Number("decades", "Powers of ten that they span", 2, 1, 6),
        Number("ahead", "Powers of ten beyond them", 1, 1, 6),
        Number("floor", "Supposed floor, nats", 1.75, 0, 2.5, 0.05, whole=False),
        Number("noise", "Noise, % of the loss", 0, 0, 2, 0.05, whole=False),
        Number("draw", "Draw of the noise", 0, 0, 40),
    ],
    named=[
        Named(
            "The question",
            "The question's five runs, and the law that was fitted to them. Turn the last knob, and see how often the "
            "law with a floor falls to the loss that is wanted.",
            {"runs": 5, "noise": 0.35},
        ),
        Named(
            "A million times",
            "Six powers of ten ahead the straight line says 0.971 nats, far below the supposed floor of 1.75.",
            {"runs": 5, "noise": 0.35, "ahead": 6},
        ),
        Named(
            "More noise, longer ladder",
            "With twice the noise nine runs over four powers of ten find a floor of 1.64. Let them span two instead, "
            "and see where it goes.",
            {"runs": 9, "decades": 4, "noise": 0.7, "draw": 9},
        ),
        Named(
            "The 70B on 256 GPUs",
            "The largest of seven runs has a hundredth of the model's compute. The law with a floor says 1.923 nats, "
            "where 1.930 were supposed, and the straight line says 1.665. Another draw of the noise moves the law's "
            "by a few hundredths.",
            {"first": 5.97e18, "runs": 7, "decades": 3, "ahead": 2, "noise": 0.35},
        ),
    ],
)
def extend_ladder(
    *, first: float, runs: int, decades: int, ahead: int, floor: float, noise: float, draw: int
) -> Picture:
    """Draw a ladder with noise, both fits, and what they say of a run beyond it."""
    truth = ComputeLaw(floor, _REDUCIBLE, _EXPONENT, _FIRST)
    compute = [_compute(first, decades * place / (runs - 1)) for place in range(runs)]
    sigma = noise / 100
    losses = [
        compute_law_loss_nats(C, law=truth) * math.exp(sigma * off)
        for C, off in zip(compute, _noise(draw, runs), strict=True)
    ]
    target = first * 10.0 ** (decades + ahead)
    line, fitted = log_log_line(compute, losses), fit_compute_law(compute, losses)
    true, by_line, by_floor = (compute_law_loss_nats(target, law=law) for law in (truth, line, fitted))
    high, low = max(losses), min(by_line, by_floor, true)
    high, low = high * (high / low) ** 0.12, low * (low / high) ** 0.14
    plot = Plot(
        _across(first, decades + ahead),
        Axis(low, high, "log", ticks=_loss_ticks(low, high)),
        title="Loss, nats",
        width_px=_WIDTH,
        height_px=290,
    )
    x = plot.x(math.log10(target))
    plot.panel.line(x, plot.top, x, plot.bottom, dashed=True)
    plot.panel.text(x - 5, plot.top + 14, "asked for", anchor="end", size=12)
    _labels(plot, target, by_line=by_line, laws=(line, fitted, truth))
    for law, colour, dashed in ((truth, "idle", False), (line, "communication", True), (fitted, "accent", False)):
        points = [first * (target / first) ** (step / 40) for step in range(41)]
        plot.curve(
            [(math.log10(C), compute_law_loss_nats(C, law=law)) for C in points],
            colour=colour,
            dashed=dashed,
            width=4 if colour == "idle" else 2,
        )
    plot.dots([(math.log10(C), loss) for C, loss in zip(compute, losses, strict=True)], colour="ink")
    numbers = (
        f"At {_written(target)} FLOPs: straight line {by_line:.3f}, law with a floor {by_floor:.3f} nats, where "
        f"{true:.3f} was supposed. The fitted floor is {fitted.irreducible_nats:.2f}, the supposed one {floor:.2f}."
    )
    alt = (
        f"{runs} dots from {losses[0]:.2f} down to {losses[-1]:.2f} nats on logarithmic axes, and three curves carried "
        f"on to {_written(target)} FLOPs: the supposed law ends at {true:.2f}, the straight line at {by_line:.2f}, the "
        f"law with a floor at {by_floor:.2f}. A second panel shows how far the runs lie above both fits."
    )
    idle = () if noise else ("draw",)
    return Picture([plot.panel, _errors(compute, losses, line, fitted, decades)], numbers, alt, idle=idle)
