"""Figures: valleys of loss at fixed compute, the path through them, what a wrong size costs, use that counts too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from snippets.drawing import Anchor, Panel
from snippets.live.axes import Axis, Plot
from snippets.live.knobs import in_units
from snippets.scaling.chinchilla.formulas import (
    DEFAULT_FIT,
    cheapest_for_loss,
    compute_optimal_parameters,
    lifetime_flops,
    missized_compute_factor,
    tokens_for_loss,
)
from snippets.scaling.chinchilla.isoflop import PowerFit
from snippets.scaling.chinchilla.published_allocations import APPROACHES, PublishedModel
from snippets.scaling.loss_surface.formulas import LOSS_FITS, LossFit, surface_loss_nats
from snippets.scaling.loss_surface.surface_fit import Runs

WIDTH = 330  # two of them stand side by side
_POINTS = 48
_B = 1e9  # sizes are drawn in billions of parameters
_SIZE = "parameters N, billions"
_COMPUTE = "compute C, as a power of ten of FLOP"
FIT_COLOURS = {
    "Besiroglu et al. 2024": "accent",
    "Hoffmann et al. 2022, unrounded": "ink",
    "Hoffmann et al. 2022": "idle",
}
_SAID = {
    "Besiroglu et al. 2024": "refit",
    "Hoffmann et al. 2022, unrounded": "unrounded",
    "Hoffmann et al. 2022": "printed",
}


def valley_panel(*, flops: float, sizes: Sequence[float], fit: LossFit | str = DEFAULT_FIT) -> Panel:
    """Draw the losses of models of several sizes that are trained with one budget.

    Args:
        flops: the budget.
        sizes: of the models, ascending.
        fit: the surface that the losses come from.

    Returns:
        The picture: a dashed curve for all sizes between, a dot with its loss for each model.
    """
    losses = [surface_loss_nats(parameters=N, tokens=flops / 6 / N, fit=fit) for N in sizes]
    low, high = min(losses), max(losses)
    plot = Plot(
        Axis(sizes[0] / 1.6 / _B, sizes[-1] * 1.6 / _B, "log", _SIZE, ticks=tuple(N / _B for N in sizes)),
        Axis(low - 0.12 * (high - low), high + 0.45 * (high - low), label="loss, nats a token"),
        width_px=WIDTH,
        height_px=250,
    )
    ends = sizes[0] / 1.25, sizes[-1] * 1.25
    across = [float(N) for N in np.geomspace(*ends, _POINTS)]
    curve = [(N / _B, surface_loss_nats(parameters=N, tokens=flops / 6 / N, fit=fit)) for N in across]
    plot.curve(curve, colour="idle", dashed=True)
    plot.dots([(N / _B, loss) for N, loss in zip(sizes, losses, strict=True)], colour="accent", radius=5)
    for N, loss in zip(sizes, losses, strict=True):
        anchor: Anchor = "start" if sizes[0] == N else "end" if sizes[-1] == N else "middle"
        aside = {"start": 9, "end": -9, "middle": 0}[anchor]
        plot.panel.text(plot.x(N / _B) + aside, plot.y(loss) - 12, f"{loss:.2f}", anchor=anchor, size=12)
    return plot.panel


def terms_panel(*, flops: float, low: float, high: float, fit: LossFit | str = DEFAULT_FIT) -> Panel:
    """Draw the two terms of the loss along one budget, and their sum with its bottom.

    Args:
        flops: the budget.
        low: least number of parameters.
        high: largest.
        fit: the surface.

    Returns:
        The picture, in nats above the irreducible loss; dots mark both terms and the sum at the best size.
    """
    f = LOSS_FITS.find(fit)
    across = [float(N) for N in np.geomspace(low, high, _POINTS)]
    size_term = [(N / _B, f.parameter_coefficient * N**-f.parameter_exponent) for N in across]
    token_term = [(N / _B, f.token_coefficient * (flops / 6 / N) ** -f.token_exponent) for N in across]
    both = [(N, x + y) for (N, x), (_, y) in zip(size_term, token_term, strict=True)]
    plot = Plot(
        Axis(low / _B, high / _B, "log", _SIZE, ticks=(0.1, 0.3, 1, 3, 10, 30)),
        Axis(0, 1.2 * max(y for _, y in both), label="nats a token above E"),
        width_px=WIDTH,
        height_px=270,
    )
    best = compute_optimal_parameters(flops=flops, fit=f)
    at_best = sum(terms[1] for terms in _at(best, flops, f))
    x = plot.x(best / _B)
    plot.panel.line(x, plot.y(at_best), x, plot.bottom, colour="muted", dashed=True)
    plot.curve(both, colour="accent", width=3)
    plot.curve(size_term, colour="parameters")
    plot.curve(token_term, colour="muted")
    plot.dots([(best / _B, at_best)], colour="ink", radius=5)
    plot.panel.text(x, plot.y(at_best) - 12, "the sum", anchor="middle", colour="accent", size=12)
    x, y = size_term[5]
    plot.panel.text(plot.x(x) - 4, plot.y(y) + 30, "A/Nᵅ", colour="parameters", size=12)
    x, y = token_term[-6]
    plot.panel.text(plot.x(x) + 4, plot.y(y) + 30, "B/Dᵝ", anchor="end", colour="muted", size=12)
    for N, value in _at(best, flops, f):
        plot.dots([(N, value)], colour="ink", radius=3)
    return plot.panel


def _at(parameters: float, flops: float, f: LossFit) -> list[tuple[float, float]]:
    tokens = flops / 6 / parameters
    return [
        (parameters / _B, f.parameter_coefficient * parameters**-f.parameter_exponent),
        (parameters / _B, f.token_coefficient * tokens**-f.token_exponent),
    ]


def isoflop_panel(runs: Runs, *, budgets: int, shown: Sequence[int]) -> Panel:
    """Draw runs of several budgets, the parabola through those of each, and its bottom.

    Args:
        runs: equally many for each budget, one budget after the other.
        budgets: how many there are.
        shown: which of them are drawn, from 0.

    Returns:
        The picture, each budget written at the right end of its parabola.
    """
    sizes, losses = runs.parameters.reshape(budgets, -1), runs.losses_nats.reshape(budgets, -1)
    drawn = [*shown]
    low, high = float(losses[drawn].min()), float(losses[drawn].max())
    plot = Plot(
        Axis(
            float(sizes[drawn].min()) / 1.5 / _B, float(sizes[drawn].max()) * 3.5 / _B, "log", _SIZE, ticks=(0.1, 1, 10)
        ),
        Axis(low - 0.05, high + 0.12, label="loss, nats a token"),
        width_px=WIDTH,
        height_px=300,
    )
    for place in drawn:
        curvature, slope, level = np.polyfit(np.log(sizes[place]), losses[place], 2)
        across = np.geomspace(sizes[place][0], sizes[place][-1], _POINTS // 2)
        parabola = curvature * np.log(across) ** 2 + slope * np.log(across) + level
        plot.curve(_pairs(across / _B, parabola), colour="accent")
        plot.dots(_pairs(sizes[place] / _B, losses[place]), colour="muted", radius=2.5)
        bottom = float(np.exp(-slope / 2 / curvature))
        plot.dots([(bottom / _B, float(level - slope**2 / 4 / curvature))], colour="ink", radius=4)
        budget = float(runs.flops.reshape(budgets, -1)[place, 0])
        x, y = plot.x(float(sizes[place][-1]) / _B) + 5, plot.y(float(parabola[-1]))
        plot.panel.text(x, y, f"{budget:.0e}".replace("e+", "e"), middle=True, size=12)
    return plot.panel


def compute_optimal_path_panel(
    flops: npt.ArrayLike, bottoms: npt.ArrayLike, *, law: PowerFit, until: float, truth: LossFit | str = DEFAULT_FIT
) -> Panel:
    """Draw the best sizes of small budgets, the power law through them, and where it leads for a large one.

    Args:
        flops: the small budgets.
        bottoms: the best size found for each.
        law: through them.
        until: the large budget.
        truth: the surface whose own optimum is drawn at the large budget.

    Returns:
        The picture, with the size at the large budget in billions; a square marks the truth.
    """
    budgets, sizes = np.asarray(flops, dtype=float), np.asarray(bottoms, dtype=float)
    low, high = float(budgets.min()) / 3, until * 4
    plot = Plot(
        Axis(math.log10(low), math.log10(high), label=_COMPUTE, ticks=(18, 19, 20, 21, 22, 23, 24)),
        Axis(0.1, 1000, "log", "best size, billions"),
        width_px=WIDTH,
        height_px=300,
    )
    plot.curve([(math.log10(C), law.at(C) / _B) for C in (low, high)], colour="accent")
    plot.dots(_pairs(np.log10(budgets), sizes / _B), colour="ink", radius=3.5)
    x, y = plot.x(math.log10(until)), plot.y(law.at(until) / _B)
    plot.panel.line(x, y, x, plot.bottom, dashed=True)
    best = compute_optimal_parameters(flops=until, fit=truth) / _B
    plot.panel.rectangle(x - 6, plot.y(best) - 6, 12, 12, colour="communication", strength=0)
    plot.dots([(math.log10(until), law.at(until) / _B)], colour="accent", radius=4)
    plot.panel.text(x - 12, y - 8, in_units(law.at(until) / _B), anchor="end", bold=True)
    plot.panel.text(x - 6, plot.bottom - 8, f"{until:.3g}".replace("e+", "e"), anchor="end", size=12)
    return plot.panel


def penalty_panel(*, fits: Sequence[str] = tuple(FIT_COLOURS)) -> Panel:
    """Draw how much more compute a model of the wrong size takes for its loss, against its size over the best one.

    Args:
        fits: names of fits.

    Returns:
        The picture, with four factors of the first fit written beside their dots.
    """
    plot = Plot(
        Axis(1 / 8, 8, "log", "size over the best size, N/N*", ticks=(1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)),
        Axis(1, 4.5, label="compute over what is needed", ticks=(1, 1.5, 2, 2.5, 3, 3.5, 4)),
        width_px=WIDTH,
        height_px=270,
    )
    across = [float(k) for k in np.geomspace(1 / 8, 8, _POINTS)]
    for number, name in enumerate(fits):
        curve = [(k, missized_compute_factor(size_ratio=k, fit=name)) for k in across]
        plot.curve(curve, colour=FIT_COLOURS[name], dashed=number > 0)
    for k in (1 / 4, 1 / 2, 2, 4):
        value = missized_compute_factor(size_ratio=k, fit=fits[0])
        plot.dots([(k, value)], colour="ink", radius=4)
        side: Anchor = "end" if k > 1 else "start"
        x = plot.x(k) + (-8 if k > 1 else 8)
        plot.panel.text(x, plot.y(value) - 8, f"{value:.2f}", anchor=side, size=12, bold=True)
    return plot.panel


def allocations_panel(
    models: Mapping[PublishedModel, tuple[Anchor, float]], *, fits: Sequence[str] = tuple(FIT_COLOURS)
) -> Panel:
    """Draw best sizes against compute by three fits and by the printed tables, with models that were trained.

    Args:
        models: each gets a dot and its name, on the side and by as many pixels lower as is said.
        fits: names of fits, whose lines are drawn.

    Returns:
        The picture, from 10²² to 10²⁵ operations.
    """
    plot = Plot(
        Axis(22, 25, label=_COMPUTE, ticks=(22, 23, 24, 25)),
        Axis(5, 1500, "log", _SIZE, ticks=(5, 10, 20, 50, 100, 200, 500, 1000)),
        width_px=WIDTH,
        height_px=340,
    )
    for name in fits:
        plot.curve(
            [(power, compute_optimal_parameters(flops=10.0**power, fit=name) / _B) for power in (22, 25)],
            colour=FIT_COLOURS[name],
            dashed=name == "Hoffmann et al. 2022",
        )
    for number, name in enumerate(fits):
        x, y = plot.left + 8, plot.top + 28 + 16 * number
        dashed = name == "Hoffmann et al. 2022"
        plot.panel.curve([(x, y), (x + 22, y)], colour=FIT_COLOURS[name], dashed=dashed)
        plot.panel.text(x + 28, y, _SAID[name], middle=True, size=12)
    for approach in ("1", "2"):
        plot.dots([(math.log10(row.flops), row.parameters / _B) for row in APPROACHES[approach]], colour="idle")
    for model, (side, lift) in models.items():
        x, y = plot.x(math.log10(model.flops)), plot.y(model.parameters / _B)
        plot.dots([(math.log10(model.flops), model.parameters / _B)], colour="ink", radius=4)
        plot.panel.text(x + (8 if side == "start" else -8), y + lift, model.name, anchor=side, middle=True, size=12)
    return plot.panel


def lifetime_panel(
    *,
    loss_nats: float,
    served: Mapping[str, float],
    low: float,
    high: float,
    fit: LossFit | str = DEFAULT_FIT,
) -> Panel:
    """Draw the operations of a whole life against the size of the model, at one loss, for several amounts of use.

    Args:
        loss_nats: the loss that every model reaches.
        served: by name, tokens of use.
        low: least number of parameters.
        high: largest.
        fit: the surface.

    Returns:
        The picture; a dot with its size in billions marks the cheapest model for each amount of use.
    """
    across = [float(N) for N in np.geomspace(low, high, _POINTS)]
    trained = [(N, tokens_for_loss(parameters=N, loss_nats=loss_nats, fit=fit)) for N in across]
    curves = {
        name: [(N / _B, lifetime_flops(parameters=N, tokens=D, inference_tokens=M) / 1e23) for N, D in trained]
        for name, M in served.items()
    }
    bottoms = [cheapest_for_loss(loss_nats=loss_nats, inference_tokens=M, fit=fit) for M in served.values()]
    least = min(value for curve in curves.values() for _, value in curve)
    plot = Plot(
        Axis(low / _B, high / _B, "log", _SIZE, ticks=(15, 30, 60, 120)),
        Axis(least / 2, least * 60, "log", "training and use, 10²³ FLOP", ticks=(5, 10, 20, 50)),
        width_px=WIDTH,
        height_px=300,
    )
    outermost = (0, len(bottoms) - 1)  # below these two there is room for a name
    for number, ((name, curve), best) in enumerate(zip(curves.items(), bottoms, strict=True)):
        plot.curve(curve, colour="accent")
        spent = lifetime_flops(parameters=best.parameters, tokens=best.tokens, inference_tokens=served[name])
        place = best.parameters / _B, spent / 1e23
        plot.dots([place], colour="ink", radius=4)
        words = f"{name}: {place[0]:.0f}"
        plot.panel.text(
            plot.x(place[0]) + 8,
            plot.y(place[1]) + (18 if number in outermost else -11),
            words,
            anchor="middle",
            size=12,
        )
    return plot.panel


def _pairs(x: npt.ArrayLike, y: npt.ArrayLike) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in zip(np.asarray(x), np.asarray(y), strict=True)]
