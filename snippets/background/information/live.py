"""Drawings: two distributions over four symbols: entropy, cross-entropy and divergence as areas of code lengths."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.background.information.formulas import cross_entropy, entropy, kl_divergence
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number

SYMBOLS = ("0", "−1", "1", "2")
_LETTERS = "abcd"
MOST_WEIGHT = 8
_BASES = {"bits": 2.0, "nats": math.e}
_TALLEST = {"bits": 4.8, "nats": 3.35}  # just above the length of a symbol with 1 of 25
_BAR_PX, _FLOOR_PX, _TALL_PX = 32.0, 212.0, 168.0
_END_PX = 14.0  # between the names of two lines


def _shares(name: str, weights: Sequence[float]) -> tuple[float, ...]:
    """Return the probabilities that are proportional to weights, or raise ``ValueError`` where all are 0."""
    total = sum(weights)
    if not total:
        raise ValueError(f"{name} must have a weight above 0 for at least one symbol, got 0 for all of them")
    return tuple(weight / total for weight in weights)


def _bars(p: Sequence[float], q: Sequence[float]) -> Panel:
    """Draw both probabilities of each symbol side by side, with their values."""
    panel = Panel(330, 250)
    panel.text(0, 14, "The truth p and the model q", bold=True)
    for number, symbol in enumerate(SYMBOLS):
        left = 14 + 80 * number
        for name, colour, probability, x in (
            ("p", "accent", p[number], left),
            ("q", "gradients", q[number], left + _BAR_PX + 6),
        ):
            tall = _TALL_PX * probability
            panel.rectangles([(x, _FLOOR_PX - tall, _BAR_PX, tall)], colour=colour, strength=0.3)
            middle = x + _BAR_PX / 2
            panel.text(middle, _FLOOR_PX - tall - 5, f"{round(probability, 3):g}", anchor="middle", size=12)
            panel.text(middle, _FLOOR_PX + 15, name, anchor="middle", colour=colour)
        panel.text(left + _BAR_PX + 3, _FLOOR_PX + 33, symbol, anchor="middle", bold=True)
    panel.line(12, _FLOOR_PX, 328, _FLOOR_PX)
    return panel


def _lengths(p: Sequence[float], q: Sequence[float], unit: str) -> Panel:
    """Draw each symbol as wide as p has it and as tall as its code word, by p and by q: areas are mean lengths."""
    base, tallest = _BASES[unit], _TALLEST[unit]
    across = Axis(0, 1, label="symbols, as wide as p has them", ticks=(0, 0.5, 1))
    ticks = tuple(range(math.ceil(tallest)))
    plot = Plot(across, Axis(0, tallest, ticks=ticks), title=f"Code lengths, {unit}: areas are means", width_px=258)
    plot.panel.width = 330  # room for the names of the lines
    start = 0.0
    for symbol, truth, model in zip(SYMBOLS, p, q, strict=True):
        if not truth:
            continue
        own = -math.log(truth, base)
        given = -math.log(model, base) if model else tallest
        _column(plot, start, start + truth, own, given)
        if (plot.x(start + truth) - plot.x(start)) >= 12:
            plot.panel.text(plot.x(start + truth / 2), plot.bottom - 5, symbol, anchor="middle")
        start += truth
    means = {"H(p)": entropy(p, base=base), "H(p, q)": cross_entropy(p, q, base=base)}
    last = plot.bottom + _END_PX
    for name, mean in means.items():  # from below, since H(p) is the least
        colour = "accent" if name == "H(p)" else "gradients"
        height = min(mean, tallest)
        plot.curve([(0, height), (1, height)], colour=colour, width=2)
        last = min(plot.y(height), last - _END_PX)
        written = f"{name} {mean:.2f}" if math.isfinite(mean) else f"{name} ∞"
        plot.panel.text(plot.x(1) + 4, last, written, colour=colour, size=12, middle=True)
    return plot.panel


def _column(plot: Plot, left: float, right: float, own: float, given: float) -> None:
    """Draw one symbol: what the truth's code takes, and what the model's takes more or, dashed, less."""
    x, wide = plot.x(left), plot.x(right) - plot.x(left)
    plot.panel.rectangles([(x, plot.y(own), wide, plot.bottom - plot.y(own))], colour="accent", strength=0.25)
    if given > own:
        plot.panel.rectangles([(x, plot.y(given), wide, plot.y(own) - plot.y(given))], colour="gradients", strength=0.3)
    elif given < own:
        gain = plot.y(given) - plot.y(own)
        plot.panel.rectangle(x, plot.y(own), wide, gain, colour="gradients", strength=0, dashed=True)


def _written(amount: float, unit: str) -> str:
    return f"{amount:.3f} {unit}" if math.isfinite(amount) else f"∞ {unit}"


def _weights(p: Sequence[int], q: Sequence[int]) -> dict[str, int]:
    """Return the knobs' values for weights of the truth and of the model."""
    pairs = (("p", p), ("q", q))
    return {f"{name}_{letter}": weight for name, ws in pairs for letter, weight in zip(_LETTERS, ws, strict=True)}


_EXAMPLE = (4, 2, 1, 1)
_COARSE_GRADIENT = (8, 3, 3, 2)  # sixteenths of the chapter's late gradient that round to 0, −1, 1 and beyond


@live_figure(
    title="Shape a truth and a model",
    caption="Weights make probabilities: $p$ is how often a symbol comes, $q$ what its code was made for. In the "
    "second panel the blue part of a column is what the symbol costs in the code of $p$. Red is what the code of $q$ "
    "costs more, dashed what it costs less. All blue is $H(p)$; red minus dashed is "
    "$\\operatorname{KL}(p\\,\\|\\,q)$. Try to get more dashed than red.",
    opens="The order reversed",
    knobs=[
        *(
            Number(f"{name}_{letter}", f"Weight of {symbol} in {name}", weight, 0, MOST_WEIGHT)
            for name in "pq"
            for letter, symbol, weight in zip(_LETTERS, SYMBOLS, _EXAMPLE, strict=True)
        ),
        Choice("unit", "Unit", {"bits": "bits", "nats": "nats"}, "bits"),
    ],
    named=[
        Named(
            "Fixed width",
            "A code for four symbols alike takes 2 bits for each, 0.250 bits more than the entropy.",
            _weights(_EXAMPLE, (1, 1, 1, 1)),
        ),
        Named(
            "The order reversed",
            "The commonest symbol gets one of the longest words, and the mean grows to 2.625 bits. What is dashed?",
            _weights(_EXAMPLE, (1, 1, 2, 4)),
        ),
        Named(
            "A late gradient, coarsely",
            "Shares as a late gradient has them at a step of one RMS (the last symbol is all that lies beyond ±1): the "
            "code of the eight numbers wastes 0.032 bits on it.",
            _weights(_COARSE_GRADIENT, _EXAMPLE),
        ),
        Named(
            "Ruled out",
            "The model gives the last symbol no chance, and the truth sends it: the cost is ∞. The other way round it "
            "is 0.250 bits.",
            _weights(_EXAMPLE, (4, 2, 2, 0)),
        ),
    ],
)
def two_distributions(
    *, p_a: int, p_b: int, p_c: int, p_d: int, q_a: int, q_b: int, q_c: int, q_d: int, unit: str
) -> Picture:
    """Draw two distributions over four symbols and the code lengths that they give."""
    p, q, base = _shares("p", (p_a, p_b, p_c, p_d)), _shares("q", (q_a, q_b, q_c, q_d)), _BASES[unit]
    own, given = entropy(p, base=base), cross_entropy(p, q, base=base)
    there, back = kl_divergence(p, q, base=base), kl_divergence(q, p, base=base)
    return Picture(
        [_bars(p, q), _lengths(p, q, unit)],
        f"Entropy H(p) = {_written(own, unit)}, cross-entropy H(p, q) = {_written(given, unit)}, divergence "
        f"KL(p‖q) = {_written(there, unit)} a symbol. The other way round KL(q‖p) = {_written(back, unit)}.",
        f"First bars of p ({_listed(p)}) and q ({_listed(q)}) for the symbols {', '.join(SYMBOLS)}. Then a column "
        f"for each that p has, as wide as p has it; blue as tall as its code length by p, red up to its length by q "
        f"where that is more, dashed down to it where it is less. The lines of the means stand at "
        f"{_written(own, unit)} and {_written(given, unit)}.",
    )


def _listed(shares: Sequence[float]) -> str:
    return ", ".join(f"{round(share, 3):g}" for share in shares)
