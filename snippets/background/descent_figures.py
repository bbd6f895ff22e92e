"""Figures: paths on contour maps, rates against momentum, and losses that settle on a floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snippets.background.descent import best_momentum, best_momentum_rate, momentum_rate
from snippets.background.descent_paths import Path, Surface
from snippets.domain import each, positive_integer, positive_number
from snippets.figures import colour, plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Span = tuple[float, float]


def path_map(
    surface: Surface,
    paths: Mapping[str, Path],
    *,
    across: Span,
    up: Span,
    levels: Sequence[float],
    title: str,
    labels: tuple[str, str] = ("x₁", "x₂"),
    chord: tuple[tuple[float, float], tuple[float, float]] | None = None,
    height_px: float = 250,
) -> Figure:
    """Draw paths over the contour lines of a surface of two parameters.

    Args:
        surface: the loss, of dimension 2.
        paths: what ``descend`` returned for one start each; a name that is not empty stands beside the start.
        across: the ends of the horizontal axis.
        up: the ends of the vertical axis.
        levels: losses at which contour lines are drawn, rising.
        title: written above the map.
        labels: names of the two axes.
        chord: two points to join by a dashed line.
        height_px: height of the picture.

    Returns:
        The map. Dots are updates, a ring the start, a cross where the path ends; points beyond the map are cut off.
    """
    if surface.dimension != 2:
        raise ValueError(f"surface must have dimension 2, got {surface.dimension}")
    grid = np.stack(np.meshgrid(np.linspace(*across, 33), np.linspace(*up, 33)), axis=-1)
    with plot(width_px=330, height_px=height_px) as (figure, axes):
        lines = sorted(each("levels", levels, lambda _, level: float(level)))
        axes.contour(grid[..., 0], grid[..., 1], surface.value(grid), lines, colors=colour("idle"), linewidths=0.8)
        axes.grid(False)
        if chord is not None:
            axes.plot(*zip(*chord, strict=True), "--", color=colour("communication"), linewidth=1.6)
        for name, path in paths.items():
            x, y = path.points[:, 0], path.points[:, 1]
            axes.plot(x, y, color=colour("accent"), linewidth=1.1)
            # Dots as one line of tiny dashes with round ends: a marker for each would be four times as long.
            dash = 1e-3 * (across[1] - across[0])
            dots = np.stack([x, x + dash, np.full_like(x, np.nan)], axis=1).ravel(), np.repeat(y, 3)
            axes.plot(*dots, color=colour("accent"), linewidth=3.4, solid_capstyle="round")
            axes.plot(x[:1], y[:1], "o", color=colour("accent"), markersize=8, markerfacecolor="none")
            axes.plot(x[-1:], y[-1:], "x", color=colour("ink"), markersize=7, markeredgewidth=2)
            if name:
                axes.annotate(name, (x[0], y[0]), (0, 8), textcoords="offset points", ha="center", va="bottom")
        axes.set(xlim=across, ylim=up, xlabel=labels[0], ylabel=labels[1], title=title)
    return figure


def momentum_plot(conditions: Sequence[float]) -> Figure:
    """Plot the best rate that each momentum coefficient allows, one curve for each condition number.

    At each coefficient μ the step size is ``2(1 + μ)/(λ_min + λ_max)``, at which the flattest and the steepest
    direction shrink alike; no other does better.

    Args:
        conditions: condition numbers, each at least 1; the curves are labelled with them.

    Returns:
        The plot, with a dot at the best coefficient of each curve.
    """
    coefficients = np.linspace(0, 0.98, 99)
    with plot(width_px=340, height_px=280) as (figure, axes):
        for number, kappa in enumerate(each("conditions", conditions, positive_number)):
            best = best_momentum(kappa)
            places = np.sort(np.append(coefficients, best))
            rates = [
                momentum_rate(
                    step=2 * (1 + float(mu)) / (1 + kappa),
                    momentum=float(mu),
                    smallest_curvature=1.0,
                    largest_curvature=kappa,
                )
                for mu in places
            ]
            axes.plot(places, rates, color=colour("accent"), linestyle=("-", "--", "-.", ":")[number % 4])
            axes.plot([best], [best_momentum_rate(kappa)], "o", color=colour("ink"), markersize=6)
            place = best, best_momentum_rate(kappa)
            axes.annotate(f"κ = {kappa:g}", place, (7, -3), textcoords="offset points", ha="left", va="top")
        axes.set(
            xlabel="momentum coefficient μ",
            ylabel="factor per step",
            xlim=(0, 1.17),
            xticks=[0, 0.2, 0.4, 0.6, 0.8, 1],
            ylim=(0.4, 1.01),
        )
    return figure


def settling_plot(losses: Mapping[str, NDArray[np.float64]], *, floors: Mapping[str, float], every: int = 10) -> Figure:
    """Plot mean losses against the step on a log axis, with the floors on which they settle as dashed lines.

    Args:
        losses: a name for each curve, and its loss at steps 0, 1, 2, …, all above 0. The first is named at its end,
            the second above its middle, the third below.
        floors: a floor for some of the names.
        every: draw every so many steps.

    Returns:
        The plot.
    """
    stride = positive_integer("every", every)
    with plot(width_px=340, height_px=280) as (figure, axes):
        for number, (name, curve) in enumerate(losses.items()):
            steps = np.arange(len(curve))[::stride]
            tint = colour(("ink", "muted", "accent")[number % 3])
            axes.plot(steps, curve[::stride], color=tint, linestyle=("-", "--", "-")[number % 3])
            if name in floors:
                axes.axhline(floors[name], color=tint, linewidth=1, linestyle=":")
            middle = steps[len(steps) * 5 // 9]
            at, across, up = (
                (steps[-1], "right", "bottom"),
                (middle, "left", "bottom"),
                (middle, "right", "top"),
            )[number % 3]
            sides: dict[str, Any] = {"ha": across, "va": up, "color": tint}
            axes.annotate(name, (at, curve[at]), (0, 4 if up == "bottom" else -4), textcoords="offset points", **sides)
        axes.set_yscale("log")
        axes.set(xlabel="step", ylabel="mean loss")
        axes.minorticks_off()
    return figure
