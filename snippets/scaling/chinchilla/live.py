"""Drawings: the best split of a budget by three fits, and the cheapest life of a model with your model's loss."""

from __future__ import annotations

import math

from snippets.drawing import Anchor, Panel, Spot
from snippets.job import THE_70B
from snippets.live.axes import Axis, Plot, beside
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.scaling.chinchilla.formulas import (
    GOPHER_FLOPS,
    Allocation,
    cheapest_for_loss,
    compute_optimal_parameters,
    compute_optimal_tokens,
    lifetime_flops,
    tokens_for_loss,
)
from snippets.scaling.loss_surface.formulas import LOSS_FITS, LossFit, surface_loss_nats

_WIDE, _NARROW, _HEIGHT, _POINTS, _B = 560, 336, 260, 48, 1e9
_FITS = {
    "Besiroglu et al. 2024": "2024 refit",
    "Hoffmann et al. 2022, unrounded": "2022, unrounded",
    "Hoffmann et al. 2022": "2022, printed",
}
_LETTERS = (("T", 1e12), ("B", 1e9), ("M", 1e6))
_QUESTION = "The question: Gopher's budget"
_MOST = 1000  # times the least FLOPs: what is farther off has no picture
_TWICE = 2 * 1.4e12  # tokens: twice what the 70B's box gives it


@live_figure(
    title="Split a budget",
    caption="First panel: models of all sizes that spend the whole budget on training, the best one (dot) and yours "
    "(square). Second: what it takes to reach *your* loss with a model of each size, training and inference together, "
    "over the least; the dot is the cheapest. Where the curve ends on the left, a model is too small for this loss.",
    knobs=[
        Number("flops", "Budget C, FLOP", 1e21, 1e18, 1e26, 10**0.1, "log", whole=False),
        Number("billions", "Your model N, billions", 1, 0.1, 10_000, 10**0.1, "log", whole=False),
        Number("served", "Tokens of inference, trillions", 0, 0, 200, 0.5, whole=False),
        Choice("fit", "Fit", _FITS, "Besiroglu et al. 2024"),
    ],
    named=[
        Named(
            _QUESTION,
            "A model of Gopher's size takes 1.89 times the FLOPs that its loss needs; the best for this budget has "
            "72.2B parameters.",
            {"flops": GOPHER_FLOPS, "billions": 280},
        ),
        Named(
            "Printed constants",
            "At Gopher's budget the constants as printed want 92.6 tokens for each parameter, five times what the "
            "refit wants.",
            {"flops": GOPHER_FLOPS, "billions": 70, "fit": "Hoffmann et al. 2022"},
        ),
        Named(
            "Llama 3 8B",
            "Without inference it takes 5.50 times the FLOPs that its loss needs, on purpose. Now add tokens of "
            "inference.",
            {"flops": 7.227e23, "billions": 8.03},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Trained on 2.8T tokens and then used for 2.7 trillion, this model is the cheapest for its loss.",
            {
                "flops": float(f"{6 * THE_70B.parameters * _TWICE:.4g}"),
                "billions": round(THE_70B.parameters / _B, 1),
                "served": 2.7,
            },
        ),
    ],
    opens=_QUESTION,
)
def split_budget(*, flops: float, billions: float, served: float, fit: str) -> Picture:
    """Draw losses along a budget, and the FLOPs of a whole life of models that all have your model's loss."""
    f = LOSS_FITS.find(fit)
    best = Allocation(compute_optimal_parameters(flops=flops, fit=f), compute_optimal_tokens(flops=flops, fit=f))
    yours = Allocation(billions * _B, flops / 6 / (billions * _B))
    losses = [surface_loss_nats(parameters=a.parameters, tokens=a.tokens, fit=f) for a in (best, yours)]
    use = served * 1e12
    cheapest = cheapest_for_loss(loss_nats=losses[1], inference_tokens=use, fit=f)
    spent = [lifetime_flops(parameters=a.parameters, tokens=a.tokens, inference_tokens=use) for a in (yours, cheapest)]
    times = max(1.0, spent[0] / spent[1])
    if times > _MOST:
        raise ValueError(
            f"Your model is too far from this budget: it takes more than {_MOST:,} times the FLOPs that its loss needs."
            " Bring its size nearer to the best one, or take fewer tokens of inference."
        )
    life = f", with {in_units(served)} trillion tokens of inference," if served else ","
    each = in_units(best.tokens_per_parameter)
    numbers = (
        f"Best split without inference: {_said(best)}, {each} tokens for each parameter. "
        f"Yours, {_said(yours)}, takes {_times(times)} the FLOPs of the cheapest for its loss{life} {_said(cheapest)}."
    )
    alt = (
        f"First: a valley of losses against the size of the model, its bottom at {_short(best.parameters)} parameters "
        f"and a loss of {losses[0]:.3f}; your model of {_short(yours.parameters)} is at {losses[1]:.3f}. Second: FLOPs "
        f"of training and inference against the size, all at your loss, over the least, which is at "
        f"{_short(cheapest.parameters)} parameters; yours is at {_times(times)} that."
    )
    sizes = [best.parameters, yours.parameters, cheapest.parameters]
    ends = min(sizes) / 5, max(sizes) * 5
    wide, narrow = (
        [
            _valley(flops, f, best, yours, ends, width_px),
            _life(f, losses[1], use, yours, cheapest, ends, width_px),
        ]
        for width_px in (_WIDE, _NARROW)
    )
    return Picture(wide, numbers, alt, narrow=narrow)


def _short(value: float) -> str:
    """Write a count with three digits and a letter.

    >>> _short(72.25e9), _short(1.4e16)
    ('72.2B', '14,000T')
    """
    for letter, size in _LETTERS:
        if value >= 0.9995 * size:
            return f"{in_units(value / size)}{letter}"
    return in_units(value)


def _times(factor: float) -> str:
    """Write a factor without digits that nobody needs.

    >>> _times(1.0004), _times(1.857), _times(54.97)
    ('1.00 times', '1.86 times', '55 times')
    """
    return f"{factor:.{2 if factor < 9.995 else 0}f} times"


def _said(a: Allocation) -> str:
    return f"{_short(a.parameters)} parameters and {_short(a.tokens)} tokens"


def _across(low: float, high: float) -> list[float]:
    return [low * (high / low) ** (point / (_POINTS - 1)) for point in range(_POINTS)]


def _axis(ends: tuple[float, float]) -> Axis:
    """Return an axis of sizes with three to six ticks, whatever its ends."""
    low, high = ends[0] / _B, ends[1] / _B
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = tuple(step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high)
        if len(ticks) <= 6:
            return Axis(low, high, "log", "parameters N, billions", ticks=ticks)
    return Axis(low, high, "log", "parameters N, billions", ticks=tuple(10.0**power for power in powers[::2]))


def _marks(plot: Plot, dot: tuple[float, float], square: tuple[float, float], names: tuple[str, str]) -> None:
    """Draw a dot and a square, each with its name inside the picture: the dot's below it, the square's above."""
    plot.dots([dot], colour="ink", radius=4.5)
    x, y = plot.x(square[0]), plot.y(square[1])
    plot.panel.rectangle(x - 6, y - 6, 12, 12, colour="communication", strength=0)
    gap = x - plot.x(dot[0])
    towards: Anchor = "middle" if abs(gap) < 20 else "end" if gap > 0 else "start"  # inside the valley there is room
    if abs(gap) < 8 * len(names[1]):  # near the dot the name stands higher, so that it does not hide it
        shift, up = {"start": (-6, -13), "middle": (0, -26), "end": (6, -13)}[towards]
    else:
        shift, up = {"start": 11, "end": -11}[towards], 2
    spots: list[Spot] = [(x + shift, y + up, towards), *beside(x, y + 2, gap=11, left=gap > 0)]
    plot.label(names[1], spots, colour="communication", size=12, bold=True)
    at, wide = plot.x(dot[0]), 3.6 * len(names[0])
    below: Anchor = "start" if at - wide < plot.left else "end" if at + wide > plot.right else "middle"
    aside = {"start": -6, "middle": 0, "end": 6}[below]
    plot.panel.text(at + aside, plot.y(dot[1]) + 20, names[0], anchor=below, size=12, bold=True)


def _valley(
    flops: float, f: LossFit, best: Allocation, yours: Allocation, ends: tuple[float, float], width_px: float
) -> Panel:
    """Draw the losses of models that all spend the budget."""

    def loss(parameters: float) -> float:
        return surface_loss_nats(parameters=parameters, tokens=flops / 6 / parameters, fit=f)

    least = loss(best.parameters)
    most = max(loss(yours.parameters), loss(best.parameters / 8), loss(best.parameters * 8))
    plot = Plot(
        _axis(ends),
        Axis(least - 0.22 * (most - least), most + 0.22 * (most - least)),
        title="Training alone: loss, nats a token",
        width_px=width_px,
        height_px=_HEIGHT,
    )
    plot.curve([(N / _B, loss(N)) for N in _across(*ends)], colour="accent")
    places = (best.parameters / _B, least), (yours.parameters / _B, loss(yours.parameters))
    _marks(plot, *places, (f"best {_short(best.parameters)}", f"yours {_short(yours.parameters)}"))
    return plot.panel


def _life(
    f: LossFit,
    loss: float,
    use: float,
    yours: Allocation,
    cheapest: Allocation,
    ends: tuple[float, float],
    width_px: float,
) -> Panel:
    """Draw the FLOPs of training and inference of models that reach one loss, over those of the cheapest."""
    floor = (f.parameter_coefficient / (loss - f.irreducible_nats)) ** (1 / f.parameter_exponent)
    least = lifetime_flops(parameters=cheapest.parameters, tokens=cheapest.tokens, inference_tokens=use)

    def times(parameters: float) -> float:
        tokens = tokens_for_loss(parameters=parameters, loss_nats=loss, fit=f)
        return lifetime_flops(parameters=parameters, tokens=tokens, inference_tokens=use) / least

    at = max(1.0, lifetime_flops(parameters=yours.parameters, tokens=yours.tokens, inference_tokens=use) / least)
    high = max(6.0, 2 * at)
    ticks = (1, 2, 5, 10, 20, 50, 100) if high < 200 else (1, 10, 100, 1000)
    plot = Plot(
        _axis(ends),
        Axis(high**-0.3, high, "log", ticks=ticks),
        title="Your loss: FLOPs over the least",
        width_px=width_px,
        height_px=_HEIGHT,
    )
    first = max(ends[0], floor * 1.0005)
    close = [first + (yours.parameters - first) * 2.0**-step for step in range(12, 0, -1)]
    sizes = sorted({*_across(first, ends[1]), *(N for N in close if first < N), yours.parameters, cheapest.parameters})
    plot.curve([(N / _B, times(N)) for N in sizes], colour="accent")
    places = (cheapest.parameters / _B, 1.0), (yours.parameters / _B, at)
    _marks(plot, *places, (f"cheapest {_short(cheapest.parameters)}", f"yours {_times(at)}"))
    return plot.panel
