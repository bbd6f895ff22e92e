"""Drawings: the path of descent with momentum on a bowl of two curvatures, and its loss beside its rate."""

from __future__ import annotations

import math
from itertools import takewhile

from snippets.background.optimization.formulas import (
    best_gradient_descent_rate,
    best_gradient_descent_step,
    best_momentum,
    best_momentum_rate,
    best_momentum_step,
    largest_stable_step,
    momentum_matrix,
    momentum_rate,
    steps_to_shrink,
)
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number

STEEPEST = 100.0  # λ_max: the border 2(1 + μ)/λ_max does not move with κ
START = (10.0, 1.0)
MOST_STEPS = 200
_CORNERS = 32  # of an ellipse
_LEVELS = (0.3, 0.75, 1.5, 3)  # where contour lines cross the steep axis
_OUT_OF_SIGHT = 1e3  # of the map
_FAR = 1e60  # where a path that diverges is left
_LEAST_LOSS = 1e-300


def _coordinates(curvature: float, *, start: float, step: float, momentum: float, steps: int) -> list[float]:
    """Return the coordinate along one direction after 0, 1, … steps, the last before it leaves ±10⁶⁰."""
    (first, second), _ = momentum_matrix(step=step, momentum=momentum, curvature=curvature)
    places = [start]
    before = start
    for _ in range(steps):
        after = first * places[-1] + second * before
        if abs(after) > _FAR:
            break
        before = places[-1]
        places.append(after)
    return places


def _path(*, step: float, momentum: float, condition: float, steps: int) -> list[tuple[float, float]]:
    """Return the points of a descent from ``START`` on ½(λ_max/κ·y₁² + λ_max·y₂²), at rest at first."""
    curvatures = STEEPEST / condition, STEEPEST
    across, up = (
        _coordinates(curvature, start=start, step=step, momentum=momentum, steps=steps)
        for curvature, start in zip(curvatures, START, strict=True)
    )
    return list(zip(across, up, strict=False))


def _loss(point: tuple[float, float], condition: float) -> float:
    return STEEPEST * (point[0] ** 2 / condition + point[1] ** 2) / 2


def _map(points: list[tuple[float, float]], condition: float) -> Panel:
    """Draw the path over contour lines."""
    across, up = Axis(-12, 12, label="y₁, flat", ticks=(-10, -5, 0, 5, 10)), Axis(-4, 4, ticks=(-4, -2, 0, 2, 4))
    plot = Plot(across, up, title=f"Path, {len(points) - 1} steps; y₂ is stretched", width_px=330)
    turns = [2 * math.pi * corner / _CORNERS for corner in range(_CORNERS + 1)]
    for level in _LEVELS:
        wide = level * math.sqrt(condition)
        plot.curve([(wide * math.cos(turn), level * math.sin(turn)) for turn in turns], colour="idle", width=1)
    near = list(takewhile(lambda point: max(abs(point[0]), abs(point[1])) < _OUT_OF_SIGHT, points))
    plot.curve(near, colour="accent", width=1)
    plot.dots(near[1:], colour="accent", radius=1.8)
    plot.dots(points[:1], colour="ink", radius=4)
    plot.dots(points[-1:], colour="accent", radius=4)
    return plot.panel


def _losses(points: list[tuple[float, float]], rate: float, condition: float) -> Panel:
    """Draw the loss after each step and what the rate makes of the first loss."""
    across = Axis(0, MOST_STEPS, label="step t", ticks=(0, 50, 100, 150, 200))
    plot = Plot(
        across, Axis(-10, 6, ticks=(-8, -4, 0, 4)), title="log₁₀ of the loss; dashed: ρ²ᵗ times the first", width_px=330
    )
    heights = [math.log10(max(_loss(point, condition), _LEAST_LOSS)) for point in points]
    ends = (0, MOST_STEPS)
    plot.curve([(t, heights[0] + 2 * t * math.log10(rate)) for t in ends], colour="muted", width=1.5, dashed=True)
    plot.curve(enumerate(heights), colour="accent")
    plot.dots([(len(heights) - 1, heights[-1])], colour="accent", radius=4)
    return plot.panel


def _says(*, step: float, momentum: float, rate: float) -> str:
    """Return what descent does: converges or diverges, and how it moves in the steep direction, across the valley."""
    (trace, minus_momentum), _ = momentum_matrix(step=step, momentum=momentum, curvature=STEEPEST)
    if abs(rate - 1) < 1e-12:
        return "swings across the valley for ever"
    if rate > 1:
        return "diverges, overshooting by more than it corrects"
    if trace**2 < -4 * minus_momentum:
        return "converges, swinging across the valley"
    return f"converges, {'crossing the valley at every step' if trace < 0 else 'without crossing the valley'}"


@live_figure(
    title="Descend a bowl",
    caption="Contour lines of $\\tfrac12(\\lambda_{\\min} y_1^2 + 100\\,y_2^2)$ with $\\lambda_{\\min} = 100/\\kappa$, "
    "and descent from $(10, 1)$. Move $\\eta$ across the border and watch the zigzag turn from shrinking to growing. "
    "Change $\\kappa$: the border stays where it is, and the number of steps changes.",
    opens="26 GPUs",
    knobs=[
        Number("step", "Step size η", 0.0195, 0.00015, 0.042, step=0.00015, whole=False),
        Number("momentum", "Momentum μ", 0, 0, 0.98, step=0.01, whole=False),
        Number("condition", "Condition number κ", 100, 10, 1000, step=10**0.1, scale="log"),
        Number("steps", "Steps S", 60, 1, MOST_STEPS, play=True),
    ],
    named=[
        Named(
            "26 GPUs",
            "The last step size of the rule below the border: the zigzag shrinks, by a twentieth in each step.",
            {"step": 0.0195},
        ),
        Named(
            "27 GPUs",
            "One GPU more: η is just beyond the border 0.02, and each crossing is larger than the last.",
            {"step": 0.02025},
        ),
        Named(
            "with momentum",
            "The same valley with nearly the best momentum: the loss falls much faster, but lags behind its rate.",
            {"step": 0.033, "momentum": 0.67, "steps": 100},
        ),
        Named(
            "easy valley",
            "With κ = 10 the border is the same, but every step gets ten times as far along the valley.",
            {"step": 0.018, "condition": 10, "steps": 20},
        ),
    ],
)
def descent_on_quadratic(*, step: float, momentum: float, condition: int, steps: int) -> Picture:
    """Draw descent on a quadratic whose steepest curvature is 100 and whose flattest is 100/κ."""
    ends = {"smallest_curvature": STEEPEST / condition, "largest_curvature": STEEPEST}
    rate = momentum_rate(step=step, momentum=momentum, **ends)
    border = largest_stable_step(STEEPEST, momentum=momentum)
    points = _path(step=step, momentum=momentum, condition=condition, steps=steps)
    does = _says(step=step, momentum=momentum, rate=rate)
    takes = (
        f", by its rate a millionth of the distance after about {steps_to_shrink(rate=rate, remainder=1e-6):,} steps"
        if rate < 1
        else ""
    )
    first, last = _loss(points[0], condition), _loss(points[-1], condition)
    return Picture(
        [_map(points, condition), _losses(points, rate, condition)],
        f"η = {step:.4g}, μ = {momentum:.2g}: {does}. ρ = {rate:.4f} per step{takes}; stable below η = {border:.4g}. "
        f"Best for κ = {condition}: without momentum η = {best_gradient_descent_step(**ends):.4f}, "
        f"ρ = {best_gradient_descent_rate(condition):.4f}; with μ = {best_momentum(condition):.3f} "
        f"η = {best_momentum_step(**ends):.4f}, ρ = {best_momentum_rate(condition):.4f}.",
        f"Left: contour lines of a valley of condition number {condition} and a path of {len(points) - 1} steps, which "
        f"{does}. Right: the loss on a logarithmic axis, from {first:.3g} to {last:.3g}, beside the line of ρ²ᵗ.",
    )
