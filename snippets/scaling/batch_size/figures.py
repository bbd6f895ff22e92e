"""Figures: batches of noisy gradients, what a step gains, steps and examples, rising noise, and learning rates."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

from snippets.domain import at_most, each, finite_number, number_between, positive_integer, positive_number
from snippets.drawing import MOST_PX, Panel
from snippets.live.axes import Axis, Plot
from snippets.scaling.batch_size.formulas import batch_examples, batch_steps

WIDE_PX, NARROW_PX = 520.0, 330.0
_TICKS = tuple(float(digit * 10**power) for power in range(6) for digit in (1, 2, 5))
_HUES = ("accent", "communication", "optimizer", "ink")


def batch_means(gradients: Sequence[float], batch_size: int) -> dict[float, int]:
    """Return the means of all batches, drawn with replacement, and how many batches have each.

    Args:
        gradients: those of the examples.
        batch_size: examples of a batch, at most 10.

    Returns:
        Mean → number of batches.

    Example:
        >>> batch_means((3, -1), 2)
        {3.0: 1, 1.0: 2, -1.0: 1}
    """
    values = each("gradients", gradients, finite_number)
    size = at_most("batch_size", positive_integer("batch_size", batch_size), 10)
    return dict(Counter(sum(batch) / size for batch in product(values, repeat=size)))


def batches_panels(gradients: Sequence[float], sizes: Sequence[int]) -> list[Panel]:
    """Draw the means of all batches of some sizes, a row each, and in a second panel their mean square in two parts.

    Args:
        gradients: those of the examples, any finite numbers.
        sizes: examples of a batch, a row for each.

    Returns:
        Two panels with the same rows.
    """
    values, sizes = each("gradients", gradients, finite_number), each("sizes", sizes, positive_integer)
    mean = sum(values) / len(values)
    low, high = min(values), max(values)
    height = 66 + 86 * len(sizes)
    dots, bars = Panel(NARROW_PX, height), Panel(NARROW_PX, height)
    left, right, start = 96.0, 310.0, 70.0

    def place(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    dots.text(0, 14, "Mean gradients of all batches", bold=True)
    bars.text(0, 14, "Mean of their squares: signal + noise", bold=True)
    bottom = 34 + 86 * len(sizes)
    dots.line(place(mean), 26, place(mean), bottom, colour="accent", dashed=True)
    squares = {
        size: sum(ways * value**2 for value, ways in batch_means(values, size).items()) / len(values) ** size
        for size in sizes
    }
    unit = (NARROW_PX - start - 10) / max(squares.values())
    for row, size in enumerate(sizes):
        y = 92.0 + 86 * row
        dots.text(0, y - 18, f"B = {size}", bold=True)
        dots.text(0, y, f"{len(values) ** size} batches", colour="muted", size=12)
        dots.line(left - 12, y, right + 12, y)
        for value, ways in batch_means(values, size).items():
            columns = 1 if ways <= 6 else 2
            marks = [
                (place(value) + 10 * (n % columns) - 5 * (columns - 1), y - 7 - 11 * (n // columns))
                for n in range(ways)
            ]
            dots.dots(marks, colour="gradients", radius=4)
        square = squares[size]
        bars.text(0, y - 10, f"B = {size}", bold=True)
        bars.rectangle(start, y - 26, unit * mean**2, 22, colour="accent", strength=0.6)
        bars.rectangle(start + unit * mean**2, y - 26, unit * (square - mean**2), 22, colour="idle", strength=0.35)
        bars.text(start, y + 12, f"{square:g} = {mean**2:g} + {square - mean**2:g}", size=12)
    for tick in range(math.ceil(low), math.floor(high) + 1):
        dots.text(place(tick), bottom + 14, str(tick), anchor="middle", colour="muted", size=12)
    dots.text(place(mean), bottom + 30, "full gradient", anchor="middle", colour="accent", size=12)
    bars.text(start, bottom + 14, "signal", colour="accent", size=12)
    bars.text(start + 60, bottom + 14, "noise of a batch", colour="muted", size=12)
    return [dots, bars]


def gain_panel(noise_scale: float, batches: Sequence[float], *, width_px: float = WIDE_PX) -> Panel:
    """Draw the expected loss after one step against its size, for several batches, with each one's best step.

    Args:
        noise_scale: gradient noise scale.
        batches: batches, a curve for each; one without noise is added.
        width_px: of the picture, from 300.

    Returns:
        The picture.
    """
    scale, sizes = positive_number("noise_scale", noise_scale), each("batches", batches, positive_number)
    plot = Plot(
        Axis(0, 1.35, label="step size η, times the curvature λ", ticks=(0, 0.2, 0.5, 0.8, 1)),
        Axis(0, 1.35, ticks=(0, 0.2, 0.5, 0.8, 1)),
        title="loss after one step, over the loss before",
        width_px=number_between("width_px", width_px, low=300, high=MOST_PX),
        height_px=270,
    )
    for number, size in enumerate((*sizes, math.inf)):
        noise = 1 + scale / size
        points = [(η, 1 - 2 * η + η * η * noise) for η in (n / 50 for n in range(69))]
        hue = _HUES[number % len(_HUES)]
        plot.curve(points, colour=hue)
        plot.dots([(1 / noise, 1 - 1 / noise)], colour=hue, radius=5)
        name = f"B = {size:g}" if math.isfinite(size) else "no noise"
        plot.panel.text(plot.x(1 / noise), plot.y(1 - 1 / noise) - 12, name, anchor="middle", colour=hue)
    return plot.panel


def progress_panel(noise_scale: float, batches: Sequence[float], *, width_px: float = WIDE_PX) -> Panel:
    """Draw how many steps with noise make the progress of one without, a row of blocks for each batch.

    Args:
        noise_scale: gradient noise scale.
        batches: batches, a row for each; one without noise is added below.
        width_px: of the picture, from 300.

    Returns:
        The picture.
    """
    scale, sizes = positive_number("noise_scale", noise_scale), each("batches", batches, positive_number)
    width = number_between("width_px", width_px, low=300, high=MOST_PX)
    panel = Panel(width, 30 + 50.0 * (len(sizes) + 1))
    left, full = 76.0, width - 76.0 - 10
    panel.text(0, 14, "Steps in place of one without noise", bold=True)
    for row, (size, hue) in enumerate(zip((*sizes, math.inf), _HUES, strict=False)):
        y, share = 32.0 + 50 * row, 1 / (1 + scale / size)
        panel.text(0, y + 16, f"B = {size:g}" if math.isfinite(size) else "no noise", bold=True)
        made = 0.0
        while made < 1 - 1e-9:
            part = min(share, 1 - made)
            strength = 0.6 if part > share - 1e-9 else 0.25  # of the last step only a part is needed
            panel.rectangle(left + full * made, y, full * part - 2, 22, colour=hue, strength=strength)
            made += part
        steps = 1 / share
        said = f"{steps:.3g} steps, {steps * size:.3g} examples" if math.isfinite(size) else "1 step"
        panel.text(left, y + 37, said, size=12)
    return panel


def days_panel(
    *,
    days: float,
    gpus: int,
    critical_batch: float,
    deadline_days: float,
    marked: Sequence[int],
    width_px: float = WIDE_PX,
) -> Panel:
    """Draw the days of a run against its GPUs, each of which brings one example, and what perfect scaling would be.

    Args:
        days: of the run on ``gpus``.
        gpus: those of today; the picture shows from half of them to eight times as many.
        critical_batch: in examples.
        deadline_days: marked by a line.
        marked: numbers of GPUs that get a dot with their days.
        width_px: of the picture, from 300.

    Returns:
        The picture.
    """
    today, critical = positive_integer("gpus", gpus), positive_number("critical_batch", critical_batch)
    taken, limit = positive_number("days", days), positive_number("deadline_days", deadline_days)
    dots = each("marked", marked, positive_integer)

    def needed(ranks: float) -> float:
        law = {"critical_batch": critical, "fewest_steps": 1.0}
        return taken * batch_steps(batch_size=ranks, **law) / batch_steps(batch_size=today, **law)

    plot = Plot(
        Axis(today / 2, 8 * today, "log", "GPUs, one sequence each", ticks=tuple(today * 2**n / 2 for n in range(5))),
        Axis(0, 1.6 * taken, ticks=(0, taken / 2, limit, taken, 1.5 * taken)),
        title="days to the same loss",
        width_px=number_between("width_px", width_px, low=300, high=MOST_PX),
        height_px=320,
    )
    ladder = [today / 2 * 2 ** (n / 15) for n in range(61)]
    floor = needed(1e12 * critical)
    plot.curve([(ladder[0], limit), (ladder[-1], limit)], colour="communication", width=1, dashed=True)
    plot.panel.text(
        plot.right - 4, plot.y(limit) - 6, f"wanted: {limit:g}", anchor="end", colour="communication", size=12
    )
    plot.curve([(ladder[0], floor), (ladder[-1], floor)], colour="muted", width=1, dashed=True)
    plot.panel.text(plot.left + 4, plot.y(floor) + 16, f"never below {floor:.0f} days", colour="muted", size=12)
    plot.curve([(ranks, taken * today / ranks) for ranks in ladder], colour="idle", dashed=True)
    last = plot.x(3.4 * today), plot.y(taken / 8)
    plot.panel.text(*last, "if it scaled perfectly", anchor="end", colour="muted", size=12)
    plot.curve([(ranks, needed(ranks)) for ranks in ladder], colour="accent")
    plot.dots([(ranks, needed(ranks)) for ranks in dots], colour="accent", radius=5)
    for ranks in dots:
        x, y = plot.x(ranks), plot.y(needed(ranks))
        low = 0 < y - plot.y(limit) < 20  # the line of what is wanted is where the text would be
        place = (x - 2, y + 26) if low else (x + 6, y - 9)
        plot.panel.text(*place, f"{needed(ranks):.0f} days", colour="accent", size=12)
    return plot.panel


def tradeoff_panels(
    batches: Sequence[float], steps: Sequence[float], *, critical_batch: float, fewest_steps: float
) -> list[Panel]:
    """Draw counted steps and examples against the batch as dots, and the fitted curves, one panel above the other.

    Args:
        batches: batches, at least 2.
        steps: counted steps, one number for each.
        critical_batch: of the fit.
        fewest_steps: of the fit.

    Returns:
        Two panels.
    """
    sizes, counted = each("batches", batches, positive_number), each("steps", steps, positive_number)
    if len(sizes) != len(counted) or len(sizes) < 2:
        raise ValueError(f"steps must be one for each of at least 2 batches, got {len(counted)} for {len(sizes)}")
    law = {"critical_batch": critical_batch, "fewest_steps": fewest_steps}
    ratio = (max(sizes) / min(sizes)) ** (1 / 60)
    dense = [min(sizes) * ratio**n for n in range(61)]
    examples = [size * count for size, count in zip(sizes, counted, strict=True)]
    panels = []
    for title, seen, formula, floor in (
        ("steps", counted, batch_steps, fewest_steps),
        ("examples", examples, batch_examples, fewest_steps * critical_batch),
    ):
        plot = Plot(
            Axis(min(sizes), max(sizes), "log", "batch B, examples", ticks=tuple(sizes)[::4] + tuple(sizes)[-1:]),
            Axis(floor / 1.6, max(seen) * 1.3, "log", ticks=_TICKS),
            title=f"{title} to the goal",
            width_px=NARROW_PX,
            height_px=250,
        )
        plot.curve([(dense[0], floor), (dense[-1], floor)], colour="muted", width=1, dashed=True)
        plot.panel.line(plot.x(critical_batch), plot.top, plot.x(critical_batch), plot.bottom, dashed=True)
        ruled = [plot.y(tick) for tick in _TICKS if floor / 1.6 <= tick <= max(seen) * 1.3]
        free = (down for down in (14, 30, 44) if not any(plot.top + down - 11 < y < plot.top + down + 3 for y in ruled))
        named = plot.x(critical_batch) + 6, plot.top + next(free, 14)
        plot.panel.text(*named, f"critical batch {critical_batch:.3g}", size=12)
        fewest = f"fewest: {floor:.3g}"  # at the end where the curve is far above its line
        if title == "steps":
            plot.panel.text(plot.left + 4, plot.y(floor) - 5, fewest, colour="muted", size=12)
        else:
            plot.panel.text(plot.right - 4, plot.y(floor) - 5, fewest, anchor="end", colour="muted", size=12)
        plot.curve([(size, formula(batch_size=size, **law)) for size in dense], colour="accent")
        plot.dots(list(zip(sizes, seen, strict=True)), colour="ink", radius=4)
        panels.append(plot.panel)
    return panels


def ramp_panel(
    constant: Sequence[tuple[float, float]],
    ramp: Sequence[tuple[float, float]],
    noise: Sequence[tuple[float, float]],
    falling: Sequence[tuple[float, float]],
    slower: Sequence[tuple[float, float]],
    *,
    width_px: float = WIDE_PX,
) -> Panel:
    """Draw, against the examples seen, the noise scale of a ramped run, and the batches of four runs.

    Args:
        constant: (examples seen, batch) of the run with a fixed batch.
        ramp: (examples seen, batch) of the run whose batch follows the noise scale.
        noise: (examples seen, noise scale) of the same.
        falling: (examples seen, batch) of the run with a fixed batch and a step size that falls to 0.
        slower: (examples seen, batch) of the run with a fixed batch and a step size that falls more slowly.
        width_px: of the picture, from 300.

    Returns:
        The picture.
    """
    places = [place for line in (constant, ramp, noise, falling, slower) for place in line]
    if not places:
        raise ValueError("constant, ramp, noise, falling and slower must hold points, got none")
    last = max(x for x, _ in places)
    plot = Plot(
        Axis(0, last, label="examples seen", ticks=(0, 500, 1000, 1500) if last > 500 else ()),
        Axis(min(y for _, y in places) / 1.3, max(y for _, y in places) * 1.6, "log", ticks=_TICKS),
        title="noise scale, and batches, in examples",
        width_px=number_between("width_px", width_px, low=300, high=MOST_PX),
        height_px=250,
    )
    plot.curve(noise, colour="communication")
    plot.curve(ramp, colour="accent")
    plot.curve(constant, colour="ink", dashed=True)
    plot.curve(falling, colour="optimizer", dashed=True)
    plot.curve(slower, colour="idle", dashed=True)
    plot.dots([line[-1] for line in (constant, ramp, falling, slower) if line], colour="ink", radius=3.5)
    for name, line, hue in (
        ("noise scale", noise, "communication"),
        ("ramp", ramp, "accent"),
        ("fixed", constant, "ink"),
        ("fixed, falling to 0", falling, "optimizer"),
        ("fixed, falling slowly", slower, "muted"),
    ):
        x, y = plot.x(line[-1][0]), plot.y(line[-1][1])
        if x > plot.right - 110:  # a line that ends at the edge has its name below it
            plot.panel.text(plot.right - 4, y + 16, name, anchor="end", colour=hue, size=12)
        else:
            plot.panel.text(x + 6, y + 4, name, colour=hue, size=12)
    return plot.panel


def rules_panels(factors: Sequence[float], ratios: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Panel]:
    """Draw, for each optimizer, the loss after the same examples against the batch's growth, a line for each rule.

    Args:
        factors: batches as multiples of the first, four of them.
        ratios: optimizer → rule → loss over that of the first batch, one for each factor.

    Returns:
        A panel for each optimizer.
    """
    grown = each("factors", factors, positive_number)
    panels = []
    for optimizer, rules in ratios.items():
        plot = Plot(
            Axis(1, max(grown) * 1.6, "log", "batch, as a multiple of the first", ticks=(1, *grown)),
            Axis(0.4, 70, "log", ticks=(0.5, 1, 2, 5, 10, 20, 50)),
            title=f"{optimizer}: loss / loss with the first batch",
            width_px=NARROW_PX,
            height_px=280,
        )
        plot.curve([(1, 1), (max(grown) * 1.6, 1)], colour="muted", width=1)
        for (rule, losses), hue in zip(rules.items(), _HUES, strict=False):
            points = [(1.0, 1.0), *((k, float(loss)) for k, loss in zip(grown, losses, strict=True))]
            plot.curve(points, colour=hue, dashed=rule == "constant")
            plot.dots(points[1:], colour=hue, radius=3.5)
            x, y = points[1 if rule == "constant" else 3]
            if rule == "square root":
                near = y < 2  # a line near 1 has its name below it, a rising one to the right
                place = plot.x(x) + (0 if near else 6), plot.y(y) + 18
                plot.panel.text(*place, rule, anchor="middle" if near else "start", colour=hue, size=12)
            else:
                plot.panel.text(plot.x(x) - 6, plot.y(y) - 8, rule, anchor="end", colour=hue, size=12)
        panels.append(plot.panel)
    return panels


def width_panels(rates: Sequence[float], curves: Mapping[str, Mapping[int, Sequence[float]]]) -> list[Panel]:
    """Draw the loss against the learning rate for several widths, a panel for each parametrisation, one axis.

    Args:
        rates: learning rates.
        curves: parametrisation → width → losses, one for each rate.

    Returns:
        A panel for each parametrisation.
    """
    tried = each("rates", rates, positive_number)
    losses = [loss for lines in curves.values() for line in lines.values() for loss in line]
    if not losses:
        raise ValueError("curves must hold losses, got none")
    panels = []
    for name, lines in curves.items():
        plot = Plot(
            Axis(min(tried) / 1.3, max(tried) * 4.5, "log", "learning rate", ticks=(1000 * max(tried),)),
            Axis(min(losses) - 0.05, max(losses) + 0.05),
            title=f"{name}: mean squared error",
            width_px=NARROW_PX,
            height_px=270,
        )
        for rate in sorted(tried)[::2]:
            plot.panel.line(plot.x(rate), plot.top, plot.x(rate), plot.bottom, colour="line")
            plot.panel.text(
                plot.x(rate), plot.bottom + 16, f"1/{1 / rate:.0f}", anchor="middle", colour="muted", size=12
            )
        ends = []
        for (width, line), hue in zip(lines.items(), _HUES, strict=False):
            points = sorted(zip(tried, map(float, line), strict=True))
            plot.curve(points, colour=hue)
            plot.dots([min(points, key=lambda point: point[1])], colour=hue, radius=5)
            ends.append((plot.y(points[-1][1]) + 4, f"width {width}", hue))
        height = plot.bottom + 14
        for y, text, hue in sorted(ends, reverse=True):
            height = min(y, height - 16)  # of two that end at one height, one is written above the other
            plot.panel.text(plot.x(max(tried)) + 6, height, text, colour=hue, size=12)
        panels.append(plot.panel)
    return panels
