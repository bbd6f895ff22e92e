"""Drawings: the best split of a budget by three fits, and the cheapest life of a model that is used."""

from __future__ import annotations

import math

from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.scaling.chinchilla.formulas import (
    Allocation,
    cheapest_for_loss,
    compute_optimal_loss_nats,
    compute_optimal_parameters,
    compute_optimal_tokens,
    lifetime_flops,
    missized_compute_factor,
    tokens_for_loss,
)
from snippets.scaling.loss_surface.formulas import LOSS_FITS, LossFit, surface_loss_nats

_WIDTH, _POINTS, _B = 330, 40, 1e9
_FITS = {
    "Besiroglu et al. 2024": "2024 refit",
    "Hoffmann et al. 2022, unrounded": "2022, unrounded",
    "Hoffmann et al. 2022": "2022, printed",
}
_LETTERS = (("T", 1e12), ("B", 1e9), ("M", 1e6))


@live_figure(
    title="Split a budget",
    caption="First panel: models of many sizes that all spend the budget, with the bottom (dot) and your choice "
    "(square). Second: what it takes to reach the bottom's loss with a model of each size, its training and its use "
    "together; the dot is the cheapest. Where the curve rises steeply on the left, a model is nearly too small for "
    "this loss.",
    knobs=[
        Number("flops", "Budget C, FLOP", 1e21, 1e18, 1e26, 10**0.1, "log", whole=False),
        Choice("fit", "Fit", _FITS, "Besiroglu et al. 2024"),
        Number("ratio", "Your size over the best one", 1, 0.125, 8, 2**0.25, "log", whole=False),
        Number("served", "Tokens of use, trillions", 0, 0, 200, 1),
    ],
    named=[
        Named(
            "Twice too small",
            "The loss rises only in the second digit after the point, and still the run took 1.18 times the compute "
            "that its loss needs.",
            {"ratio": 0.5},
        ),
        Named(
            "Printed constants",
            "At Gopher's budget the constants as printed want 92.6 tokens for each parameter.",
            {"flops": 5.76e23, "fit": "Hoffmann et al. 2022"},
        ),
        Named(
            "The refit",
            "The refit wants 18.4 tokens for each parameter at the same budget.",
            {"flops": 5.76e23},
        ),
        Named(
            "Ten trillion tokens of use",
            "If the model is to read and write ten trillion tokens, the cheapest one for the same loss has 34.1B "
            "parameters, less than half of the bottom's.",
            {"flops": 5.76e23, "served": 10},
        ),
    ],
)
def split_budget(*, flops: float, fit: str, ratio: float, served: int) -> Picture:
    """Draw losses along a budget, and the operations of a whole life along the least loss."""
    f = LOSS_FITS.find(fit)
    best = Allocation(compute_optimal_parameters(flops=flops, fit=f), compute_optimal_tokens(flops=flops, fit=f))
    least = compute_optimal_loss_nats(flops=flops, fit=f)
    chosen = Allocation(ratio * best.parameters, best.tokens / ratio)
    loss = surface_loss_nats(parameters=chosen.parameters, tokens=chosen.tokens, fit=f)
    wasted = missized_compute_factor(size_ratio=ratio, fit=f)
    use = served * 1e12
    cheapest = cheapest_for_loss(loss_nats=least, inference_tokens=use, fit=f)
    costs = [lifetime_flops(parameters=a.parameters, tokens=a.tokens, inference_tokens=use) for a in (best, cheapest)]
    saved = max(0.0, round(100 * (1 - costs[1] / costs[0]), 6))
    numbers = (
        f"Bottom: {_said(best)}, loss {least:.3f}. Yours: {_said(chosen)}, loss {loss:.3f}, {wasted:.3g} times the "
        f"compute that its loss needs. With {served} trillion tokens of use: {_said(cheapest)}, "
        f"{saved:.3g}% less for its whole life than the bottom's model."
    )
    alt = (
        f"First: a valley of losses against the size of the model, its bottom at {_short(best.parameters)} parameters "
        f"and a loss of {least:.3f}; your model of {_short(chosen.parameters)} lies at {loss:.3f}. Second: operations "
        f"of training and use against the size, all at a loss of {least:.3f}; the least at "
        f"{_short(cheapest.parameters)} parameters."
    )
    return Picture([_valley(flops, f, best, chosen), _life(f, least, use, best, cheapest)], numbers, alt)


def _short(value: float) -> str:
    """Write a count with three digits and a letter.

    >>> _short(72.25e9), _short(1.4e16)
    ('72.2B', '14,000T')
    """
    for letter, size in _LETTERS:
        if value >= 0.9995 * size:
            return f"{in_units(value / size)}{letter}"
    return in_units(value)


def _said(a: Allocation) -> str:
    return (
        f"{_short(a.parameters)} parameters, {_short(a.tokens)} tokens, {in_units(a.tokens_per_parameter)} for each "
        "parameter"
    )


def _across(low: float, high: float) -> list[float]:
    return [low * (high / low) ** (point / (_POINTS - 1)) for point in range(_POINTS)]


def _axis(low: float, high: float) -> Axis:
    return Axis(low / _B, high / _B, "log", label="parameters N, billions")


def _valley(flops: float, f: LossFit, best: Allocation, chosen: Allocation) -> Panel:
    """Draw the losses of models that all spend the budget."""
    low, high = best.parameters / 16, best.parameters * 16

    def loss(parameters: float) -> float:
        return surface_loss_nats(parameters=parameters, tokens=flops / 6 / parameters, fit=f)

    least, most = loss(best.parameters), max(loss(low), loss(high))
    plot = Plot(
        _axis(low, high),
        Axis(least - 0.1 * (most - least), most + 0.15 * (most - least), label="loss, nats a token"),
        title="One budget",
        width_px=_WIDTH,
        height_px=250,
    )
    plot.curve([(N / _B, loss(N)) for N in _across(low, high)], colour="accent")
    plot.dots([(best.parameters / _B, least)], colour="ink", radius=4)
    place = chosen.parameters / _B, loss(chosen.parameters)
    plot.panel.rectangle(plot.x(place[0]) - 6, plot.y(place[1]) - 6, 12, 12, colour="communication", strength=0)
    return plot.panel


def _life(f: LossFit, loss: float, use: float, best: Allocation, cheapest: Allocation) -> Panel:
    """Draw the operations of training and use of models that reach one loss."""
    floor = (f.parameter_coefficient / (loss - f.irreducible_nats)) ** (1 / f.parameter_exponent)
    across = [floor + N for N in _across(0.01 * floor, 8 * best.parameters)]

    def spent(parameters: float) -> float:
        tokens = tokens_for_loss(parameters=parameters, loss_nats=loss, fit=f)
        return math.log10(lifetime_flops(parameters=parameters, tokens=tokens, inference_tokens=use))

    curve = [(N / _B, spent(N)) for N in across]
    least = spent(cheapest.parameters)
    plot = Plot(
        _axis(floor, across[-1]),
        Axis(least - 0.2, least + 1.6),
        title="One loss: training and use, log₁₀ FLOP",
        width_px=_WIDTH,
        height_px=250,
    )
    plot.curve(curve, colour="accent")
    plot.dots([(cheapest.parameters / _B, least)], colour="ink", radius=4)
    return plot.panel
