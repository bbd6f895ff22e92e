"""Figures: steps on a parabola, paths on contour maps, rates, and losses that settle on a floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snippets.background.optimization.formulas import (
    best_gradient_descent_rate,
    best_gradient_descent_step,
    best_momentum,
    best_momentum_rate,
    gradient_descent_rate,
    largest_stable_step,
    momentum_rate,
    sgd_noise_floor,
)
from snippets.background.optimization.simulators import GradientDescent, Path, Surface, descend, quadratic
from snippets.domain import each, positive_integer, positive_number
from snippets.figures import colour, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Span = tuple[float, float]


def hops_plot(curvature: float, steps: Mapping[float, str], *, start: float = 1.0, hops: int = 3) -> Figure:
    """Draw descent on one parabola for several step sizes, one below the other on one axis.

    Args:
        curvature: λ of the loss ``λy²/2``, above 0.
        steps: step size → what is said of it.
        start: where each descent begins.
        hops: how many steps are drawn of each.

    Returns:
        The parabolas. A ring is the start, a dot each point after it; they are joined in the order of the steps.
    """
    surface = quadratic([[positive_number("curvature", curvature)]])
    runs = {step: descend(surface, [start], rule=GradientDescent(step), steps=hops) for step in steps}
    reach = 1.12 * max(float(abs(run.points).max()) for run in runs.values())
    curve = np.linspace(-reach, reach, 41)
    with plot(width_px=340, height_px=165 * len(runs) + 20) as (figure, axes):
        for row, (step, run) in zip(_rows(figure, axes, len(runs)), runs.items(), strict=True):
            row.plot(curve, curvature * curve**2 / 2, color=colour("idle"), linewidth=1.2)
            row.plot(run.points[:, 0], run.values, color=colour("accent"), linewidth=1.3)
            row.plot(run.points[1:, 0], run.values[1:], "o", color=colour("accent"), markersize=5)
            row.plot(run.points[:1, 0], run.values[:1], "o", color=colour("ink"), markersize=8, markerfacecolor="none")
            row.set(xlim=(-reach, reach), ylim=(-0.3, None), ylabel="loss", title=f"η = {step:g}: {steps[step]}")
        row.set_xlabel("y")
    return figure


def path_rows(
    paths: Mapping[str, Path],
    surfaces: Sequence[Surface],
    *,
    across: Span,
    up: Span,
    levels: Sequence[float],
    labels: tuple[str, str] = ("y₁", "y₂"),
    row_px: float = 170,
    minimum: Span | None = None,
    resolution: int = 33,
) -> Figure:
    """Draw one path on each of several contour maps, one below the other on the same axes.

    Args:
        paths: title of a map → the path of one start on it.
        surfaces: the loss of each path, of dimension 2; one for all, or one for each.
        across: the ends of the horizontal axis.
        up: the ends of the vertical axis.
        levels: losses at which contour lines are drawn.
        labels: names of the two axes.
        row_px: height of a map.
        minimum: a point to mark with a star.
        resolution: points along each axis at which the loss is computed for the contour lines.

    Returns:
        The maps. Dots are updates, a ring the start, a cross where the path ends; points beyond a map are cut off.
    """
    if len(surfaces) not in (1, len(paths)):
        raise ValueError(f"surfaces must be one, or one for each of {len(paths)} paths, got {len(surfaces)}")
    several = list(surfaces) * (len(paths) if len(surfaces) == 1 else 1)
    with plot(width_px=340, height_px=row_px * len(paths) + 20) as (figure, axes):
        rows = _rows(figure, axes, len(paths))
        for row, surface, (title, path) in zip(rows, several, paths.items(), strict=True):
            _contours(row, surface, across=across, up=up, levels=levels, resolution=resolution)
            if minimum is not None:
                row.plot(*([place] for place in minimum), "*", color=colour("ink"), markersize=11)
            _draw(row, path, dash=1e-3 * (across[1] - across[0]))
            row.set(xlim=across, ylim=up, ylabel=labels[1], title=title)
        row.set_xlabel(labels[0])
    return figure


def descent_rate_plot(*, smallest_curvature: float, largest_curvature: float) -> Figure:
    """Plot the factors by which a step shrinks the flattest and the steepest direction, against the step size.

    Args:
        smallest_curvature: λ_min, above 0.
        largest_curvature: λ_max, above λ_min.

    Returns:
        Two plots, the lower one with the surroundings of the border: a thick line for the slower direction, over it
        thin ones for both, a line at 1, where a direction neither shrinks nor grows, and a dot at the best step size.
    """
    ends = {"smallest_curvature": smallest_curvature, "largest_curvature": largest_curvature}
    best, border = best_gradient_descent_step(**ends), largest_stable_step(largest_curvature)
    sizes = np.unique([*np.linspace(0, 1.08 * border, 28), 1 / largest_curvature, best, border])
    best_rate = best_gradient_descent_rate(largest_curvature / smallest_curvature)
    slower = [gradient_descent_rate(step=float(size), **ends) for size in sizes]
    with plot(width_px=340, height_px=430) as (figure, axes):
        axes.remove()
        whole, near = figure.subplots(2, 1, height_ratios=(5, 4))
        for row in (whole, near):
            row.patch.set_visible(False)
            row.plot(sizes, slower, color=colour("accent"), linewidth=3.4)
            for curvature, line in ((smallest_curvature, "--"), (largest_curvature, ":")):
                row.plot(sizes, abs(1 - sizes * curvature), line, color=colour("ink"), linewidth=1.3)
            row.plot([best], [best_rate], "o", color=colour("ink"), markersize=6)
            row.axvline(border, color=colour("muted"), linewidth=1)
            row.axhline(1, color=colour("muted"), linewidth=1)
            row.set(ylabel="factor per step")
        whole.annotate(f"flat, λ = {smallest_curvature:g}", (0.4 * border, 0.88), ha="center")
        place = 0.3 * border, abs(1 - 0.3 * border * largest_curvature)
        whole.annotate(f"steep, λ = {largest_curvature:g}", place, (8, 4), textcoords="offset points", ha="left")
        whole.annotate(f"border {border:g}", (border, 0.06), (-5, 0), textcoords="offset points", ha="right")
        whole.annotate("1: neither shrinks nor grows", (0, 1.03), (4, 0), textcoords="offset points", ha="left")
        whole.set(xlim=(0, 1.08 * border), ylim=(0, 1.16), title="from 0 to beyond the border")
        gap = border - best
        near.annotate("best", (best, best_rate), (0, -7), textcoords="offset points", ha="center", va="top")
        near.annotate("border", (border, 1 - 4 * (1 - best_rate)), (4, 0), textcoords="offset points", ha="left")
        near.set(
            xlim=(best - 3 * gap, min(border + 2 * gap, sizes[-1])),
            xticks=[best, border],
            xticklabels=[f"{best:.4f}", f"{border:.4f}"],
            ylim=(1 - 5 * (1 - best_rate), 1 + 3 * (1 - best_rate)),
            xlabel="step size η",
            title="near the border",
        )
    return figure


def floor_plot(
    *,
    curvatures: Sequence[float],
    noise_variances: Sequence[float],
    simulated: Mapping[float, float],
    smallest: float,
) -> Figure:
    """Plot the loss at which noisy descent settles against the step size, both on logarithmic axes.

    Args:
        curvatures: λ_i, each above 0.
        noise_variances: σ_i² of the batch's gradient, one for each direction.
        simulated: step size → the loss at which simulated runs settled.
        smallest: the left end of the step sizes, above 0.

    Returns:
        The plot: the formula as a line, its straight limit for small steps dashed, the runs as dots, and the border.
    """
    border = largest_stable_step(max(curvatures))

    def floor(size: float) -> float:
        return sgd_noise_floor(step=float(size), curvatures=curvatures, noise_variances=noise_variances)

    sizes = [*np.geomspace(smallest, 0.9 * border, 24), *(border * np.array([0.94, 0.97, 0.985, 0.993]))]
    with plot(width_px=340, height_px=290) as (figure, axes):
        axes.plot(sizes, [floor(size) for size in sizes], color=colour("accent"))
        straight = [size * sum(noise_variances) / 4 for size in (smallest, border)]
        axes.plot([smallest, border], straight, "--", color=colour("muted"), linewidth=1.4)
        axes.plot(list(simulated), list(simulated.values()), "o", color=colour("ink"), markersize=6)
        axes.axvline(border, color=colour("ink"), linewidth=1, linestyle="--")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.annotate("border", (border, straight[0]), (-5, 0), textcoords="offset points", ha="right", va="bottom")
        axes.set(xlabel="step size η", ylabel="loss at which it settles", xlim=(smallest, 1.15 * border))
        axes.minorticks_off()
    return figure


def path_map(
    surface: Surface,
    paths: Mapping[str, Path],
    *,
    across: Span,
    up: Span,
    levels: Sequence[float],
    title: str,
    labels: tuple[str, str] = ("y₁", "y₂"),
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
    with plot(width_px=330, height_px=height_px) as (figure, axes):
        _contours(axes, surface, across=across, up=up, levels=levels)
        if chord is not None:
            axes.plot(*zip(*chord, strict=True), "--", color=colour("communication"), linewidth=1.6)
        for name, path in paths.items():
            x, y = path.points[:, 0], path.points[:, 1]
            _draw(axes, path, dash=1e-3 * (across[1] - across[0]))
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
        losses: a name for each curve, and its loss at steps 0, 1, 2, …, all above 0. The first two are named above
            their middles, the third below.
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
                (middle, "left", "bottom"),
                (middle, "left", "bottom"),
                (middle, "right", "top"),
            )[number % 3]
            sides: dict[str, Any] = {"ha": across, "va": up, "color": tint}
            axes.annotate(name, (at, curve[at]), (0, 4 if up == "bottom" else -4), textcoords="offset points", **sides)
        axes.set_yscale("log")
        axes.set(xlabel="step", ylabel="mean loss")
        axes.minorticks_off()
    return figure


def _rows(figure: Figure, axes: Axes, count: int) -> list[Axes]:
    """Replace a figure's one axes by several, one below the other on the same horizontal axis."""
    axes.remove()
    rows: list[Axes] = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0].tolist()
    for row in rows:
        row.patch.set_visible(False)
    return rows


def _contours(
    axes: Axes, surface: Surface, *, across: Span, up: Span, levels: Sequence[float], resolution: int = 33
) -> None:
    """Draw contour lines of a surface of two parameters."""
    grid = np.stack(np.meshgrid(np.linspace(*across, resolution), np.linspace(*up, resolution)), axis=-1)
    lines = sorted(each("levels", levels, lambda _, level: float(level)))
    axes.contour(grid[..., 0], grid[..., 1], surface.value(grid), lines, colors=colour("idle"), linewidths=0.8)
    axes.grid(False)


def _draw(axes: Axes, path: Path, *, dash: float) -> None:
    """Draw a path: a line, a dot for each update, a ring at its start and a cross at its end."""
    x, y = path.points[:, 0], path.points[:, 1]
    axes.plot(x, y, color=colour("accent"), linewidth=1.1)
    # Dots as one line of tiny dashes with round ends: a marker for each would be four times as long.
    dots = np.stack([x, x + dash, np.full_like(x, np.nan)], axis=1).ravel(), np.repeat(y, 3)
    axes.plot(*dots, color=colour("accent"), linewidth=3.4, solid_capstyle="round")
    axes.plot(x[:1], y[:1], "o", color=colour("accent"), markersize=8, markerfacecolor="none")
    axes.plot(x[-1:], y[-1:], "x", color=colour("ink"), markersize=7, markeredgewidth=2)
