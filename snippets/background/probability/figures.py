"""Figures: batches of four examples, clouds of gradients, their variance, the bell curve, and error bars of scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike

from snippets.arrays import finite_array
from snippets.background.probability.formulas import batch_variance
from snippets.domain import each, finite_number, positive_number
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.live.axes import Axis, Plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_OFFSET: Any = {"textcoords": "offset points"}
_CORNERS = 48  # of a circle


def pairs_panel(gradients: Sequence[float]) -> Panel:
    """Draw a few examples' gradients, one number each, and the means of all batches of two, on one axis.

    Args:
        gradients: 2 to 5 numbers from 0 to 10.

    Returns:
        Three rows of dots: the examples, their pairs without replacement, and all draws of two with replacement. Dots
        with the same value stand on each other. A line marks the mean.
    """
    values = each("gradients", gradients, finite_number)
    if not 2 <= len(values) <= 5 or min(values) < 0 or max(values) > 10:
        raise ValueError(f"gradients must be 2 to 5 numbers from 0 to 10, got {gradients!r}")
    rows = {
        "examples": values,
        "batches of 2, without replacement": [(a + b) / 2 for a, b in combinations(values, 2)],
        "batches of 2, with replacement": [(a + b) / 2 for a, b in product(values, repeat=2)],
    }
    counts = {name: Counter(row) for name, row in rows.items()}
    panel, y = Panel(340, 50 + sum(42 + 13 * max(count.values()) for count in counts.values())), 0.0
    middle = 20 + 30 * sum(values) / len(values)
    for name, count in counts.items():
        panel.text(12, y + 16, f"{name}: {sum(count.values())}", size=12)
        top, y = y + 24, y + 42 + 13 * max(count.values())
        panel.line(middle, top, middle, y - 8, colour="accent", dashed=True)
        dots = [(20 + 30 * value, y - 16 - 13 * level) for value, times in count.items() for level in range(times)]
        panel.dots(dots, colour="gradients", radius=5)
        panel.line(12, y - 8, 328, y - 8)
    for tick in range(0, 11, 2):
        panel.text(20 + 30 * tick, y + 10, str(tick), anchor="middle", colour="muted", size=12)
    panel.text(170, y + 30, "gradient", anchor="middle", colour="muted", size=12)
    return panel


def cloud_panel(gradients: ArrayLike, full: ArrayLike, *, expected: float, unit_px: float, title: str) -> Panel:
    """Draw gradients of two weights about the full one, in units of its length, turned so that it points right.

    Args:
        gradients: one gradient of two numbers a row, at least one.
        full: the full gradient, two numbers, not both 0.
        expected: root-mean-square distance of such a gradient from the full one: the radius of the circle.
        unit_px: how many pixels one length of the full gradient takes.
        title: written above; how many dots lie beyond the picture is added.

    Returns:
        A dot for each gradient, an arrow for the full one, a circle about its tip.
    """
    rows, arrow = finite_array("gradients", gradients, dimensions=2), finite_array("full", full, dimensions=1)
    if not len(rows) or rows.shape[1] != 2 or arrow.shape != (2,) or not arrow.any():
        raise ValueError("gradients must be rows of two numbers, and full two numbers, not both 0")
    radius, unit = positive_number("expected", expected), positive_number("unit_px", unit_px)
    length = np.linalg.norm(arrow)
    along = rows @ arrow / length**2
    across = rows @ np.array([-arrow[1], arrow[0]]) / length**2
    width, height = 350.0, 270.0  # of which the axes leave 282 × 198 pixels
    wide, high = 141 / unit, 99 / unit
    ends = Axis(1 - wide, 1 + wide, label="along the full gradient, whose length is 1"), Axis(-high, high)
    points = [(float(x), float(y)) for x, y in zip(along, across, strict=True)]
    seen = [(x, y) for x, y in points if abs(x - 1) <= wide and abs(y) <= high]
    beyond = f", {len(points) - len(seen)} beyond the picture" if len(seen) < len(points) else ""
    picture = Plot(*ends, title=f"{title}{beyond}", width_px=width, height_px=height)
    picture.dots(seen, colour="gradients", radius=1)
    turns = [2 * math.pi * corner / _CORNERS for corner in range(_CORNERS + 1)]
    circle = [(1 + radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]
    picture.curve(circle, colour="accent")
    picture.curve([(0, 0), (1, 0)], colour="accent", width=2.5)
    picture.panel.arrow(picture.x(0), picture.y(0), picture.x(1) + 3, picture.y(0), colour="accent")
    return picture.panel


def variance_plot(
    sizes: Sequence[int], measured: Mapping[str, Sequence[float]], *, variance: float, population: int
) -> Figure:
    """Plot the variance of a batch's gradient against the batch size, measured and by formula, on log axes.

    Args:
        sizes: batch sizes, increasing, each at most the population; at least two.
        measured: the measured variances under ``"with_replacement"`` and ``"without_replacement"``, one per size.
        variance: σ² of one example.
        population: number of examples.

    Returns:
        The figure: dots for what was measured, lines for the formulas, with their names.

    Raises:
        ValueError: a way to draw is missing, has another number of values than there are sizes, or a number is out of
            its range.
    """
    if len(sizes) < 2:
        raise ValueError(f"sizes must hold at least two batch sizes, got {sizes!r}")
    dense = sorted({round(size) for size in np.geomspace(sizes[0], sizes[-1], 60)})
    ways = ("with_replacement", None, "accent", "o"), ("without_replacement", population, "muted", "s")
    with plot(width_px=340, height_px=280) as (figure, axes):
        for how, limit, tint, marker in ways:
            values = measured.get(how, ())
            if len(values) != len(sizes):
                raise ValueError(f"measured must have {len(sizes)} values under {how!r}, got {len(values)}")
            line = [batch_variance(variance=variance, batch_size=size, population=limit) for size in dense]
            axes.plot(dense, line, color=colour(tint), linewidth=1.5)
            axes.plot(sizes, values, marker, color=colour(tint), markersize=5)
        middle = sizes[len(sizes) // 2]
        there = batch_variance(variance=variance, batch_size=middle)
        axes.annotate("with replacement", (middle, there), (6, 4), color=colour("accent"), **_OFFSET)
        end = batch_variance(variance=variance, batch_size=sizes[-2], population=population)
        place: Any = {"ha": "right", "va": "top", "color": colour("muted")}
        axes.annotate("without replacement", (sizes[-2], end), (-6, -2), **place, **_OFFSET)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("batch size B, examples")
        axes.set_ylabel("variance of the gradient")
        axes.set_xticks(sizes[::2], [f"{size:,}" for size in sizes[::2]])
        axes.minorticks_off()
    return figure


def error_plot(distances: ArrayLike, *, expected: float) -> Figure:
    """Plot the distance of the mean of the first S batch gradients from the full one, and its law, on log axes.

    Args:
        distances: the distance after 1, 2, … batches; at least two, each above 0.
        expected: root-mean-square distance of one batch.

    Returns:
        The figure. At most 150 of the distances are drawn, evenly on the log axis.

    Raises:
        ValueError: there are fewer than two distances, or a number is not above 0.
    """
    walk = finite_array("distances", distances, dimensions=1)
    if len(walk) < 2 or not (walk > 0).all():
        raise ValueError("distances must hold at least two numbers, all above 0")
    expected = positive_number("expected", expected)
    counts = np.unique(np.geomspace(1, len(walk), 150).round().astype(int))
    with plot(width_px=340, height_px=280) as (figure, axes):
        axes.plot(counts, walk[counts - 1], color=colour("accent"), linewidth=1.5)
        ends = np.array([1, len(walk)])
        axes.plot(ends, expected / np.sqrt(ends), "--", color=colour("muted"), linewidth=1.5)
        place = 10 ** (math.log10(len(walk)) / 2)
        axes.annotate("slope −1/2", (place, expected / math.sqrt(place)), (14, 12), color=colour("muted"), **_OFFSET)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("batches S")
        axes.set_ylabel("distance from the full gradient")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.minorticks_off()
    return figure


def bell_plot(errors: ArrayLike, *, title: str) -> Figure:
    """Plot the histogram of errors in standard errors, from −4 to 4, with the standard normal curve.

    Args:
        errors: the errors; those beyond 4 count, but are not drawn.
        title: what the errors are of.

    Returns:
        The figure. Both have area 1 over the whole axis.

    Raises:
        ValueError: there is no error, or one is not finite.
    """
    values = finite_array("errors", errors, dimensions=1)
    if not len(values):
        raise ValueError("errors must hold at least one number, got none")
    edges = np.linspace(-4, 4, 33)
    counts, _ = np.histogram(values, edges)
    points = np.linspace(-4, 4, 65)
    with plot(width_px=330, height_px=230) as (figure, axes):
        axes.stairs(
            counts / len(values) / (edges[1] - edges[0]), edges, fill=True, color=colour("gradients"), alpha=0.45
        )
        axes.plot(points, np.exp(-(points**2) / 2) / math.sqrt(2 * math.pi), color=colour("ink"), linewidth=1.5)
        axes.annotate("normal", (1.2, 0.21), (6, 4), color=colour("ink"), **_OFFSET)
        axes.set_title(title)
        axes.set_xlabel("error, in standard errors")
        axes.set_ylabel("share per standard error")
        axes.set_xticks(range(-4, 5, 2))
    return figure
