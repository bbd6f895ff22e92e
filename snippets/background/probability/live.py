"""Drawings: gradients of batches about the full gradient, and their distance against the size of the batch."""

from __future__ import annotations

import math
from functools import lru_cache
from random import Random

from snippets.background.probability.formulas import data_parallel_variance, rms_distance
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number

STEPS = 40  # gradients drawn
MOST_EXAMPLES = 512  # of all workers in one step: what a page draws in time
DISTINCT = 500  # examples that differ; a larger data set repeats them
POPULATIONS = {"500": "500", "50000": "50,000", "50000000": "50 million"}
_OFFSET = 0.9 + 0.44j  # from the true weights to the present ones
_FULL = _OFFSET / abs(_OFFSET)  # where the figure puts the full gradient, of length 1
_NOISE = (
    5.7586  # half the width of the targets' noise, with which an example is as far off as in the chapter's question
)
_HALF_WIDTH, _HALF_HEIGHT = 2.75, 2.393  # of what the left picture shows about the full gradient
_CORNERS = 40  # of the circle


@lru_cache(maxsize=1)
def drawn_gradients() -> tuple[complex, ...]:
    """Return the gradient of each different example of a linear regression with two weights, as a complex number.

    Convention: the loss is the squared error; a feature is a sum of four uniform numbers, of mean 0 and variance 1.

    Example:
        >>> len(drawn_gradients())
        500
    """
    draw = Random(7).random
    made = []
    for _ in range(DISTINCT):
        x = complex(draw() + draw() + draw() + draw() - 2, draw() + draw() + draw() + draw() - 2) * math.sqrt(3)
        error = x.real * _OFFSET.real + x.imag * _OFFSET.imag + _NOISE * (2 * draw() - 1)
        made.append(2 * error * x)
    return tuple(made)


def _mean(values: tuple[complex, ...]) -> complex:
    return complex(math.fsum(value.real for value in values), math.fsum(value.imag for value in values)) / len(values)


def _root_mean_square(values: list[complex]) -> float:
    return math.sqrt(math.fsum(abs(value) ** 2 for value in values) / len(values))


@lru_cache(maxsize=1)
def _scaled() -> tuple[tuple[complex, ...], float]:
    """Return the examples' gradients, turned and scaled so that their mean is ``_FULL``, and their variance."""
    every = drawn_gradients()
    turn = _FULL / _mean(every)
    scaled = tuple(gradient * turn for gradient in every)
    return scaled, _root_mean_square([gradient - _FULL for gradient in scaled]) ** 2


def _batch_gradients(gradients: tuple[complex, ...], *, size: int, population: int | None, seed: int) -> list[complex]:
    """Return the mean gradients of batches, drawn with replacement, or without from a population of repeats."""
    draw, distinct = Random(seed).random, len(gradients)
    if population is None:
        return [_total([gradients[int(draw() * distinct)] for _ in range(size)]) / size for _ in range(STEPS)]
    means = []
    for _ in range(STEPS):  # the first cards of a shuffle; a deck notes only the cards that are not in their places
        deck: dict[int, int] = {}
        drawn = []
        for place in range(size):
            other = place + int(draw() * (population - place))
            drawn.append(gradients[deck.get(other, other) % distinct])
            deck[other] = deck.get(place, place)
        means.append(_total(drawn) / size)
    return means


def _total(values: list[complex]) -> complex:
    """Return a sum that rounds alike everywhere: ``sum`` itself rounds less from Python 3.14 on."""
    total = 0j
    for value in values:
        total += value
    return total


def _cloud(gradients: list[complex], *, expected: float) -> Panel:
    """Draw gradients and the circle of their expected distance about the full one, whose length is 1."""
    centre_x, centre_y = 0.9, 0.44
    across = Axis(centre_x - _HALF_WIDTH, centre_x + _HALF_WIDTH, ticks=(-1, 0, 1, 2, 3))
    up = Axis(centre_y - _HALF_HEIGHT, centre_y + _HALF_HEIGHT, ticks=(-1, 0, 1, 2))
    seen = [g for g in gradients if 0 <= across.share(g.real) <= 1 and 0 <= up.share(g.imag) <= 1]
    out = f", {STEPS - len(seen)} beyond the picture" if len(seen) < STEPS else ", each from new draws"
    plot = Plot(across, up, title=f"{STEPS} steps{out}", width_px=330, height_px=300)
    plot.panel.text(165, 292, "first entry of the gradient", anchor="middle", colour="muted", size=12)
    turns = [2 * math.pi * corner / _CORNERS for corner in range(_CORNERS + 1)]
    circle = [(_FULL.real + expected * math.cos(turn), _FULL.imag + expected * math.sin(turn)) for turn in turns]
    plot.dots([(gradient.real, gradient.imag) for gradient in seen], colour="gradients", radius=2.5)
    plot.curve(circle, colour="accent", dashed=True)
    plot.panel.arrow(plot.x(0), plot.y(0), plot.x(_FULL.real), plot.y(_FULL.imag), colour="ink")
    return plot.panel


def _law(*, variance: float, population: int, own: int, workers: int, same: bool, measured: float) -> Panel:
    """Draw the distance against the examples of a step: the two laws and what was measured here."""
    across = Axis(1, MOST_EXAMPLES, "log", "examples a step", ticks=(1, 4, 16, 64, 256))
    up = Axis(0.03, 10, "log", ticks=(0.03, 0.1, 0.3, 1, 3, 10))
    plot = Plot(across, up, title="Distance, in lengths of the full gradient", width_px=330, height_px=300)
    powers = range(2 * MOST_EXAMPLES.bit_length() - 1)
    sizes = sorted({round(2 ** (power / 2)) for power in powers})
    ends = sizes[0], sizes[-1]
    plot.curve([(size, rms_distance(variance=variance, batch_size=size)) for size in ends], colour="accent", width=1.5)
    falling = [round(population * share) for share in (0.8, 0.95, 0.99)]  # where the curve bends most
    below = sorted({size for size in (*sizes, *falling) if size < min(population, MOST_EXAMPLES + 1)})
    bent = [(size, rms_distance(variance=variance, batch_size=size, population=population)) for size in below]
    plot.curve(bent, colour="muted", width=1.5, dashed=True)
    x, y = plot.x(24), plot.y(rms_distance(variance=variance, batch_size=24))
    plot.panel.text(x + 4, y - 8, "with replacement", colour="accent", size=12)
    x, y = plot.x(160), plot.y(rms_distance(variance=variance, batch_size=160, population=population))
    plot.panel.text(x - 4, y + 16, "without", anchor="end", colour="muted", size=12)
    if same and workers > 1:
        level = rms_distance(variance=variance, batch_size=own)
        plot.curve([(own, level), (own * workers, level)], colour="ink", width=1.5)
    plot.dots([(own * workers, measured)] if measured > up.low else [], colour="gradients", radius=5)
    return plot.panel


@live_figure(
    title="Draw batches",
    caption="A regression with two weights, so that a gradient is a point, in units of the full gradient's length; "
    "an example is as far off as in the question. Dots: averages over all workers. Arrow: the full gradient. "
    "Circle: the expected distance, a root mean square. There are 500 different examples; a larger data set repeats "
    "them.",
    opens="The question",
    knobs=[
        Number("batch_size", "Batch of a worker", 4, 1, MOST_EXAMPLES, step=2, scale="log"),
        Number("workers", "Workers R", 1, 1, 64, step=2, scale="log"),
        Choice(
            "draws",
            "Each worker draws",
            {
                "own": "with replacement",
                "disjoint": "without, disjoint",
                "same": "with one seed for all",
            },
            "own",
        ),
        Choice("population", "Examples in all Z", POPULATIONS, "500"),
        Number("seed", "Seed", 1, 1, 20),
    ],
    named=[
        Named(
            "The question",
            "Eight workers draw 8 × 32 of 50 million examples: 28.7% is expected, where one of them alone has 81.2%.",
            {"batch_size": 32, "workers": 8, "population": "50000000"},
        ),
        Named(
            "The old data",
            "A thousandth of the data, each example at most once: 28.6% is expected, hardly less than before.",
            {"batch_size": 32, "workers": 8, "population": "50000", "draws": "disjoint"},
        ),
        Named(
            "Half of the data",
            "Now 256 are half of 500 examples, and only 20.1% is expected: the size of the data matters here.",
            {"batch_size": 32, "workers": 8, "population": "500", "draws": "disjoint"},
        ),
        Named(
            "One seed for all",
            "All eight draw the same 32 examples, so 81.2% is expected, as for one worker alone.",
            {"batch_size": 32, "workers": 8, "population": "50000000", "draws": "same"},
        ),
    ],
)
def batch_gradient_spread(*, batch_size: int, workers: int, draws: str, population: str, seed: int) -> Picture:
    """Draw the averaged gradients of R workers about the full one, and their distance beside its law."""
    count = int(population)
    limit = count if draws == "disjoint" else None
    most = min(MOST_EXAMPLES, limit or MOST_EXAMPLES) // workers
    own = min(batch_size, most)
    same, total = draws == "same" and workers > 1, own * workers
    every, variance = _scaled()
    drawn = _batch_gradients(every, size=own if same else total, population=limit, seed=seed)
    measured = _root_mean_square([gradient - _FULL for gradient in drawn])
    effective = 1 if same else workers
    expected = math.sqrt(data_parallel_variance(variance=variance, batch_size=own, ranks=effective, population=limit))
    alone = rms_distance(variance=variance, batch_size=own)
    repeated = f", only {own} of them different draws" if same else ""
    return Picture(
        [
            _cloud(drawn, expected=expected),
            _law(variance=variance, population=count, own=own, workers=workers, same=same, measured=measured),
        ],
        f"Examples a step: {workers} × {own} = {total} of {POPULATIONS[population]}{repeated}; off by {measured:.1%} "
        f"of the full gradient's length, {expected:.1%} expected (root mean squares); one worker alone: {alone:.1%}.",
        f"Left: {STEPS} dots about the tip of an arrow, the full gradient, and a dashed circle of radius "
        f"{expected:.1%} of its length. Right, on logarithmic axes: the expected distance falls as one over the root "
        f"of the examples; the dot of this setting is at {total} examples and {measured:.1%}.",
        limits={"batch_size": most},
    )
