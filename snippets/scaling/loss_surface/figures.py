"""Figures: ladders on logarithmic axes, slices of the loss surface, errors of a fit, predictions and their bands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from snippets.drawing import Anchor, Panel
from snippets.live.axes import Axis, Plot
from snippets.scaling.loss_surface.compute_law import ComputeLaw, compute_law_loss_nats, compute_multiple
from snippets.scaling.loss_surface.formulas import LOSS_FITS, LossFit, surface_loss_nats

WIDTH, WIDE = 330, 500
_COMPUTE = "compute C in FLOPs, as a power of 10"
_END: dict[bool, Anchor] = {False: "start", True: "end"}
_COLOURS = {"line": "communication", "floor": "accent", "truth": "idle"}


def _compute_axis(low: float, high: float) -> Axis:
    """Return an axis of the powers of ten between two budgets in FLOPs, with a little room at both ends."""
    first, last = round(_power(low)), round(_power(high))
    return Axis(_power(low) - 0.25, _power(high) + 0.25, label=_COMPUTE, ticks=tuple(range(first, last + 1)))


def _power(flops: float) -> float:
    return math.log10(flops)


def _loss_axis(low: float, high: float, ticks: Sequence[float]) -> Axis:
    return Axis(low, high, "log", ticks=tuple(ticks))


def _along(low: float, high: float, points: int = 60) -> list[float]:
    return [low * (high / low) ** (point / points) for point in range(points + 1)]


def _law_curve(plot: Plot, law: ComputeLaw, low: float, high: float, *, colour: str, dashed: bool = False) -> None:
    points = [(_power(C), compute_law_loss_nats(C, law=law)) for C in _along(low, high)]
    plot.curve(points, colour=colour, dashed=dashed)


def question_panel(
    flops: Sequence[float],
    losses_nats: Sequence[float],
    *,
    target_flops: float,
    wanted_nats: float,
    width_px: float = WIDTH,
) -> Panel:
    """Return a drawing of a ladder's runs on logarithmic axes, with a question mark at the run that is asked for.

    Args:
        flops: operations of each run.
        losses_nats: their losses.
        target_flops: of the run that is asked for.
        wanted_nats: the loss that it should reach.
        width_px: of the picture.
    """
    up = _loss_axis(1.9, 4.4, (2, 2.5, 3, 3.5, 4))
    plot = Plot(
        _compute_axis(min(flops), target_flops), up, title="Five runs, and one to come: loss, nats", width_px=width_px
    )
    plot.dots([(_power(C), loss) for C, loss in zip(flops, losses_nats, strict=True)], colour="ink")
    for C, loss in zip(flops, losses_nats, strict=True):
        plot.panel.text(plot.x(_power(C)) + 6, plot.y(loss) - 7, f"{loss:.3f}", size=12)
    x = plot.x(_power(target_flops))
    plot.panel.line(x, plot.top, x, plot.bottom, dashed=True)
    y = plot.y(wanted_nats)
    plot.panel.line(plot.left, y, plot.right, y, colour="accent", dashed=True)
    plot.panel.text(plot.left + 6, y + 15, f"wanted: {wanted_nats:.3f} or less", colour="accent", size=12)
    plot.panel.text(x + 6, y - 6, "?", bold=True, size=16)
    return plot.panel


def extended_panels(
    flops: Sequence[float],
    losses_nats: Sequence[float],
    *,
    line: ComputeLaw,
    floor: ComputeLaw,
    farthest_flops: float,
    drops: Sequence[float],
) -> tuple[Panel, Panel]:
    """Return a ladder carried on by a straight line and by a law with a floor, and what each tenfold step buys.

    Args:
        flops: operations of each run.
        losses_nats: their losses.
        line: a law without a floor.
        floor: a law with one.
        farthest_flops: where the axis ends.
        drops: by how much the loss falls with each tenfold step; the first two were measured.
    """
    first = min(flops)
    plot = Plot(
        _compute_axis(first, farthest_flops),
        _loss_axis(1.25, 4.8, (1.5, 2, 2.5, 3, 4)),
        title="The same runs, carried on: loss, nats",
        width_px=WIDTH,
        height_px=270,
    )
    _law_curve(plot, line, first, farthest_flops, colour=_COLOURS["line"], dashed=True)
    _law_curve(plot, floor, first, farthest_flops, colour=_COLOURS["floor"])
    plot.curve(
        [(_power(first), floor.irreducible_nats), (_power(farthest_flops), floor.irreducible_nats)], colour="muted"
    )
    plot.panel.text(plot.left + 8, plot.y(floor.irreducible_nats) + 15, "the floor", colour="muted", size=12)
    plot.panel.text(plot.right - 4, plot.y(2.12), "with a floor", anchor="end", colour=_COLOURS["floor"], size=12)
    plot.panel.text(plot.x(22.6), plot.y(1.34), "straight line", anchor="end", colour=_COLOURS["line"], size=12)
    plot.dots([(_power(C), loss) for C, loss in zip(flops, losses_nats, strict=True)], colour="ink")
    return plot.panel, drops_panel(drops, first_flops=first)


def drops_panel(drops: Sequence[float], *, first_flops: float) -> Panel:
    """Return bars of how much the loss falls with each tenfold step of the compute.

    Args:
        drops: the falls in nats; the first two were measured and are drawn in full colour.
        first_flops: where the first begins.
    """
    panel, base, tall = Panel(WIDTH, 270), 214.0, 170.0
    panel.text(0, 14, "What each tenfold step buys, nats", bold=True)
    wide = 294 / len(drops)
    power = round(math.log10(first_flops))
    for number, drop in enumerate(drops):
        x, height = 24 + number * wide, tall * drop / max(drops)
        panel.rectangle(
            x,
            base - height,
            wide - 12,
            height,
            colour="accent",
            strength=0.6 if number < 2 else 0.15,
            dashed=number > 1,
        )
        panel.text(x + wide / 2 - 6, base - height - 6, f"{drop:.3f}", anchor="middle", size=12)
        panel.text(x + wide / 2 - 6, base + 16, f"{power + number + 1}", anchor="middle", colour="muted", size=12)
    panel.line(16, base, 318, base)
    panel.text(165, base + 34, "up to 10 to this power FLOPs", anchor="middle", colour="muted", size=12)
    panel.text(165, base + 50, "(full: measured; dashed: by the law)", anchor="middle", colour="muted", size=12)
    return panel


def split_panel(losses_nats: Mapping[str, float], *, floor_nats: float) -> Panel:
    """Return bars of losses, each split at the floor, with the share that lies above it.

    Args:
        losses_nats: name of a run → its loss.
        floor_nats: the irreducible loss.
    """
    panel, base, tall = Panel(WIDTH, 270), 222.0, 176.0
    panel.text(0, 14, "What the loss is made of, nats", bold=True)
    wide, most = 306 / len(losses_nats), max(losses_nats.values())
    under = tall * floor_nats / most
    panel.rectangle(14, base - under, 306 - 10, under, colour="muted", strength=0.25)
    for number, (name, loss) in enumerate(losses_nats.items()):
        x, height = 14 + number * wide, tall * loss / most
        panel.rectangle(x, base - height, wide - 10, height - under, colour="accent", strength=0.5)
        middle = x + wide / 2 - 5
        panel.text(middle, base - height - 6, f"{loss:.3f}", anchor="middle", size=12)
        share = f"{1 - floor_nats / loss:.0%}"
        panel.text(middle, base - (height + under) / 2, share, anchor="middle", size=12, bold=True, middle=True)
        panel.text(middle, base + 16, name, anchor="middle", colour="muted", size=12)
    panel.line(10, base, 320, base)
    panel.text(14 + 153, base - under / 2, f"the floor, {floor_nats:.2f}", anchor="middle", size=12, middle=True)
    panel.text(165, base + 36, "compute C of the run, FLOPs", anchor="middle", colour="muted", size=12)
    return panel


def bend_panel(
    flops: Sequence[float], losses_nats: Sequence[float], *, line: ComputeLaw, floor: ComputeLaw, noise: float
) -> Panel:
    """Return by how many per cent runs lie above a straight line and above a law with a floor.

    Args:
        flops: operations of each run.
        losses_nats: their losses.
        line: a law without a floor.
        floor: a law with one.
        noise: standard deviation of ln ℒ, drawn as a band.
    """
    across = _compute_axis(min(flops), max(flops))
    plot = Plot(
        across, Axis(-1.5, 1.5, ticks=(-1, 0, 1)), title="Runs above the fits, %", width_px=WIDTH, height_px=270
    )
    _noise_band(plot, noise)
    plot.curve([(across.low, 0.0), (across.high, 0.0)], colour="muted", width=1)
    rows = [
        (_power(C), *(100 * math.log(loss / compute_law_loss_nats(C, law=law)) for law in (line, floor)))
        for C, loss in zip(flops, losses_nats, strict=True)
    ]
    plot.curve([(row[0], row[1]) for row in rows], colour=_COLOURS["line"], dashed=True, width=1.5)
    for x, of_line, _ in rows:
        _cross(plot, x, of_line, colour=_COLOURS["line"], radius=5)
    plot.dots([(row[0], row[2]) for row in rows], colour=_COLOURS["floor"])
    plot.panel.text(plot.x(rows[0][0]) + 10, plot.y(rows[0][1]) - 8, "× line", colour=_COLOURS["line"], size=12)
    middle = plot.x(rows[len(rows) // 2][0])
    plot.panel.text(
        middle, plot.y(100 * noise) - 6, "• law with a floor", anchor="middle", colour=_COLOURS["floor"], size=12
    )
    return plot.panel


def price_panel(law: ComputeLaw, *, gain_nats: float, marked_flops: Sequence[float]) -> Panel:
    """Return by how many per cent the compute has to grow for a gain, along a ladder.

    Args:
        law: the ladder's.
        gain_nats: by how much the loss is to fall.
        marked_flops: where the price is marked by a dot and written, from 10^18 to 10^25.
    """
    low, high = 1e18, 1e25
    plot = Plot(
        _compute_axis(low, high),
        Axis(0, 80, ticks=(0, 20, 40, 60, 80)),
        title=f"More compute for {gain_nats:g} nats less, %",
        width_px=WIDTH,
        height_px=240,
    )

    def more(flops: float) -> float:
        loss, floor = compute_law_loss_nats(flops, law=law), law.irreducible_nats
        times = compute_multiple(loss_nats=loss, gain_nats=gain_nats, irreducible_nats=floor, exponent=law.exponent)
        return 100 * (times - 1)

    plot.curve([(_power(C), more(C)) for C in _along(low, high)], colour="accent")
    for C in marked_flops:
        plot.dots([(_power(C), more(C))], colour="ink")
        plot.panel.text(plot.x(_power(C)) - 8, plot.y(more(C)) - 6, f"{more(C):.0f}%", anchor="end", size=12, bold=True)
    return plot.panel


def slice_panels(
    fit: LossFit | str, *, budgets: Mapping[str, float], tokens: Mapping[str, float]
) -> tuple[Panel, Panel]:
    """Return two kinds of slices of a surface over the parameters: at fixed tokens, and at fixed compute.

    Args:
        fit: the surface.
        budgets: name → compute in FLOPs, each a curve of the second panel.
        tokens: name → tokens, each a curve of the first panel.

    The dots of the second panel are the runs with 20 tokens a parameter.
    """
    across = Axis(0.01, 100, "log", "parameters N, in 10⁹", ticks=(0.01, 0.1, 1, 10, 100))
    ticks = (1.75, 2, 2.5, 3, 4, 5)
    floor = LOSS_FITS.find(fit).irreducible_nats
    panels = []
    for title, named in (("Fixed tokens D: loss, nats", tokens), ("Fixed compute C = 6ND: loss, nats", budgets)):
        plot = Plot(across, _loss_axis(1.65, 5.5, ticks), title=title, width_px=WIDTH, height_px=280)
        for number, (name, amount) in enumerate(named.items()):
            points = []
            for N in _along(1e7, 1e11, 80):
                D = amount if named is tokens else amount / 6 / N
                points.append((N / 1e9, surface_loss_nats(parameters=N, tokens=D, fit=fit)))
            colour = f"rank-{number if named is tokens else number + 4}"
            plot.curve(points, colour=colour)
            if named is tokens:
                y = plot.y(points[-1][1]) - 12  # clear of a curve that still falls at its end
                plot.panel.text(plot.right - 3, y, name, anchor="end", colour=colour, size=12)
            else:
                x, y = max(point for point in points if point[1] <= 4.4)
                plot.panel.text(plot.x(x) - 12, plot.y(y) + 4, name, anchor="end", colour=colour, size=12)
                size = math.sqrt(amount / 120)
                plot.dots([(size / 1e9, surface_loss_nats(parameters=size, tokens=20 * size, fit=fit))], colour=colour)
        plot.panel.line(plot.left, plot.y(floor), plot.right, plot.y(floor), dashed=True)
        plot.panel.text(plot.left + 5, plot.y(floor) - 5, "the floor", colour="muted", size=12)
        panels.append(plot.panel)
    return panels[0], panels[1]


def error_panels(
    deltas: Mapping[str, float], residuals: Mapping[str, Sequence[float]], *, failed: int
) -> tuple[Panel, Panel]:
    """Return what an error costs under two rules, and the errors that each rule leaves.

    Args:
        deltas: name → δ of a Huber loss of ln ℒ.
        residuals: name → ln of measured over fitted loss for each run, by the fit with this rule.
        failed: place of the run that went wrong.
    """
    left = Plot(
        Axis(-7, 7, label="error of ln(loss), in %", ticks=(-6, -3, 0, 3, 6)),
        Axis(0, 28, ticks=(0, 10, 20)),
        title="What an error costs, in 10⁻⁴",
        width_px=WIDTH,
        height_px=230,
    )
    for name, delta in deltas.items():
        d = 100 * delta
        errors = [step / 10 - 7 for step in range(141)]
        cost = [error**2 / 2 if abs(error) <= d else d * (abs(error) - d / 2) for error in errors]
        colour = _COLOURS["line"] if d > 10 else _COLOURS["floor"]
        left.curve(list(zip(errors, cost, strict=True)), colour=colour)
        wide = d > 10
        left.panel.text(
            left.x(5 if wide else -6.9), left.y(18 if wide else 5), name, colour=colour, size=12, anchor=_END[wide]
        )
        if not wide:
            for error in (-d, d):
                left.panel.line(left.x(error), left.y(7), left.x(error), left.bottom, colour=colour, dashed=True)
            left.panel.text(left.x(d) + 5, left.y(7) + 4, "±δ", colour=colour, size=12)
    right = Panel(WIDTH, 230)
    right.text(0, 14, "Errors that the fits leave, in %", bold=True)
    across = Axis(-2, 7, ticks=(-2, 0, 2, 4, 6))
    for number, (name, values) in enumerate(residuals.items()):
        y = 66.0 + 76 * number
        colour = _COLOURS["floor"] if number else _COLOURS["line"]
        right.text(14, y - 28, name, colour=colour, size=12)
        right.line(14, y, 320, y, colour="line")
        places = [14 + 306 * across.share(100 * value) for value in values]
        low = [(x, y + 4 * (place % 5 - 2)) for place, x in enumerate(places) if place != failed]
        right.dots(low, colour=colour, radius=2.5)
        right.dots([(places[failed], y)], colour="ink", radius=4.5)
    right.text(320, 50, "the failed run", anchor="end", size=12)
    zero = 14 + 306 * across.share(0)
    for y in (66.0, 142.0):
        right.line(zero, y - 14, zero, y + 14, dashed=True)
    for mark in across.marks():
        right.text(14 + 306 * across.share(mark), 196, f"{mark:g}", anchor="middle", colour="muted", size=12)
    right.text(167, 214, "run above the fit, %  (heights only part the dots)", anchor="middle", colour="muted", size=12)
    return left.panel, right


def band_panel(
    flops: Sequence[float],
    losses_nats: Sequence[float],
    *,
    band: Sequence[tuple[float, float, float, float]],
    middle_losses: Sequence[float],
) -> Panel:
    """Return the band of a ladder's predictions and its runs, both less a fit.

    Args:
        flops: operations of each run.
        losses_nats: their losses.
        band: for each compute: the compute, the band's lower end, its upper end, the fit.
        middle_losses: of the runs, by the fit.
    """
    across = _compute_axis(min(flops), band[-1][0])
    plot = Plot(
        across,
        Axis(-0.06, 0.06, ticks=(-0.05, -0.025, 0, 0.025, 0.05)),
        title="Predictions less the fit, nats",
        width_px=WIDTH,
        height_px=280,
    )
    plot.curve([(across.low, 0.0), (across.high, 0.0)], colour="ink", dashed=True, width=1.5)
    for before, after in pairwise(band):
        for step in range(4):
            x, wide = plot.x(_power(before[0])), plot.x(_power(after[0])) - plot.x(_power(before[0]))
            share = (step + 0.5) / 4
            low, high = (plot.y((1 - share) * (before[n] - before[3]) + share * (after[n] - after[3])) for n in (1, 2))
            box = (x + step * wide / 4, high, wide / 4, low - high)
            plot.panel.bars([box], colour=_COLOURS["floor"], strength=0.2)
    for number in (1, 2):
        plot.curve([(_power(row[0]), row[number] - row[3]) for row in band], colour=_COLOURS["floor"], width=1.5)
    plot.panel.text(plot.right - 4, plot.y(0) - 5, "all 25 runs", anchor="end", size=12)
    top = plot.y(max(row[2] - row[3] for row in band)) - 8
    plot.panel.text(plot.right - 4, top, "middle 80%", anchor="end", colour=_COLOURS["floor"], size=12)
    runs = zip(flops, losses_nats, middle_losses, strict=True)
    plot.dots([(_power(C), loss - middle) for C, loss, middle in runs], colour="ink")
    return plot.panel


def histogram_panel(
    values: Sequence[float],
    *,
    low: float,
    high: float,
    middle: tuple[float, float],
    marks: Mapping[str, float],
    title: str,
) -> Panel:
    """Return how often a predicted loss fell where, with marked values below.

    Args:
        values: predicted losses in nats.
        low: left end of the axis.
        high: its right end.
        middle: the ends of an interval, drawn above the bars.
        marks: name → loss to be marked below the bars.
        title: of the panel.
    """
    axis, bars, base = Axis(low, high), 32, 176.0
    counts = [0] * bars
    for value in values:
        if low <= value < high:
            counts[int(axis.share(value) * bars)] += 1
    panel = Panel(WIDTH, 280)
    panel.text(0, 14, title, bold=True)
    wide = 302 / bars
    boxes = [
        (14 + number * wide, base - 130 * count / max(counts), wide, 130 * count / max(counts))
        for number, count in enumerate(counts)
        if count
    ]
    panel.rectangles(boxes, colour="accent", strength=0.4)
    panel.line(14, base, 316, base)
    for mark in axis.marks(6):
        x = 14 + 302 * axis.share(mark)
        panel.line(x, base, x, base + 4)
        panel.text(x, base + 18, f"{mark:.2f}", anchor="middle", colour="muted", size=12)
    left_end, right_end = (14 + 302 * axis.share(value) for value in middle)
    panel.rectangle(left_end, base - 145, right_end - left_end, 5, colour="accent", strength=1)
    panel.text(left_end - 6, base - 142, "middle 80%", anchor="end", colour="accent", size=12, middle=True)
    for number, (name, value) in enumerate(marks.items()):
        x, y = 14 + 302 * axis.share(value), base + 40 + 20 * number
        panel.line(x, base - 136, x, base, colour="ink", dashed=True)
        panel.line(x, base + 24, x, y, colour="ink", dashed=True)
        left = axis.share(value) > 0.5
        panel.text(x - 5 if left else x + 5, y, f"{name} {value:.3f}", anchor=_END[left], size=12, middle=True)
    panel.text(165, 262, "predicted loss, nats", anchor="middle", colour="muted", size=12)
    return panel


def _noise_band(plot: Plot, noise: float) -> None:
    """Draw what seeds change as a band around 0, and say so at the bottom."""
    top, bottom = plot.y(100 * noise), plot.y(-100 * noise)
    plot.panel.rectangle(plot.left, top, plot.right - plot.left, bottom - top, colour="muted", strength=0.2)
    text, middle = f"the band: ±{noise:.2%}", (plot.left + plot.right) / 2
    plot.panel.text(middle, plot.bottom - 8, text, anchor="middle", colour="muted", size=12)


def _cross(plot: Plot, x: float, y: float, *, colour: str, radius: float) -> None:
    """Draw a cross, which without colour still differs from a dot."""
    x, y = plot.x(x), plot.y(y)
    for slope in (-radius, radius):
        plot.panel.line(x - radius, y - slope, x + radius, y + slope, colour=colour)


def ladder_panels(
    names: Sequence[str],
    flops: Sequence[float],
    losses_nats: Sequence[float],
    *,
    line: ComputeLaw,
    floor: ComputeLaw,
    fitted: int,
    noise: float,
) -> tuple[Panel, Panel]:
    """Return a published ladder with two laws fitted to its first runs, and the errors of both in per cent.

    Args:
        names: of the runs.
        flops: operations of each run.
        losses_nats: their losses.
        line: a law without a floor.
        floor: a law with one.
        fitted: how many runs the laws were fitted to; those after it are drawn larger.
        noise: standard deviation of ln ℒ, drawn as a band.
    """
    first, last = 1e18, 1e24
    left = Plot(
        _compute_axis(first, last),
        _loss_axis(1.2, 3.5, (1.25, 1.5, 1.75, 2, 2.5, 3)),
        title="Loss of Cerebras-GPT, nats",
        width_px=WIDTH,
        height_px=270,
    )
    _law_curve(left, line, first, last, colour=_COLOURS["line"], dashed=True)
    _law_curve(left, floor, first, last, colour=_COLOURS["floor"])
    right = Plot(
        _compute_axis(first, 1e23),
        Axis(-3, 3, ticks=(-2, -1, 0, 1, 2)),
        title="Runs above the laws, %",
        width_px=WIDTH,
        height_px=270,
    )
    _noise_band(right, noise)
    for number, (name, C, loss) in enumerate(zip(names, flops, losses_nats, strict=True)):
        new = number >= fitted
        left.dots([(_power(C), loss)], colour="ink", radius=5 if new else 3.5)
        left.panel.text(left.x(_power(C)) + 6, left.y(loss) - 6, name, size=12, bold=new)
        above = [100 * math.log(loss / compute_law_loss_nats(C, law=law)) for law in (line, floor)]
        _cross(right, _power(C), above[0], colour=_COLOURS["line"], radius=6 if new else 4)
        right.dots([(_power(C), above[1])], colour=_COLOURS["floor"], radius=6 if new else 4)
    right.curve([(_power(first), 0.0), (_power(1e23), 0.0)], colour="muted", width=1)
    for number, (name, colour) in enumerate((("with a floor", "floor"), ("straight line", "line"))):
        left.panel.text(left.left + 10, left.bottom - 28 + 16 * number, name, colour=_COLOURS[colour], size=12)
    right.panel.text(right.left + 8, right.top + 30, "× straight line", colour=_COLOURS["line"], size=12)
    right.panel.text(right.left + 8, right.top + 46, "• with a floor", colour=_COLOURS["floor"], size=12)
    right.panel.text(right.right - 6, right.top + 14, "13B: predicted", anchor="end", size=12)
    return left.panel, right.panel
