"""Figures: what is left of an answer, a curve that slides, zeros, easy problems, a forecast, a step, double descent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from snippets.arrays import finite_array
from snippets.domain import at_most, each, nonnegative_integer, positive_integer, positive_number, probability
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.scaling.phase_transitions.double_descent import min_norm_error
from snippets.scaling.phase_transitions.emergence import exact_match_rate, spread_exact_match_rate

WIDTH, WIDE = 340, 500


def survival_panel(accuracies: Mapping[str, float], *, tokens: int) -> Panel:
    """Return a drawing of how many of 100 answers are still right after each token, a row of bars for each model.

    Args:
        accuracies: model → how often a token is right.
        tokens: of an answer, at most 40.
    """
    count, row = at_most("tokens", positive_integer("tokens", tokens), 40), 134.0
    panel = Panel(WIDTH, row * len(accuracies) + 22)
    step = 316 / (count + 1)
    for number, (name, accuracy) in enumerate(accuracies.items()):
        base = 34 + row * number + 70
        left = [
            100 * exact_match_rate(token_accuracy=probability("accuracies", accuracy), tokens=j) if j else 100.0
            for j in range(count + 1)
        ]
        panel.text(8, base - 88, name, bold=True, size=12)
        panel.rectangles(
            [(12 + step * j, base - 0.66 * share, step - 3, 0.66 * share) for j, share in enumerate(left)],
            colour="accent",
            strength=0.45,
        )
        panel.line(8, base, 332, base)
        for j in sorted({0, 1, 2, 5, 10, count}):
            if j > count:
                continue
            x = 12 + step * j + (step - 3) / 2
            panel.text(x, base + 14, str(j), anchor="middle", colour="muted", size=12)
        for j in (0, 1, 2, 5, 10):
            if j <= count and left[j] >= 0.5:
                x, y = 12 + step * j + (step - 3) / 2, base - 0.66 * left[j] - 4
                panel.text(x, y, f"{left[j]:.0f}", anchor="middle", size=12)
    panel.text(332, panel.height - 8, "digits written", anchor="end", colour="muted", size=12)
    return panel


def slide_panel(*, lengths: Sequence[int], exponent: float, first_loss: float, width_px: float = WIDTH) -> Panel:
    """Return a drawing of exact match against compute for answers of several lengths, with the distances between them.

    Args:
        lengths: tokens of the answers, increasing.
        exponent: α_C, with which a token's loss falls.
        first_loss: of the model whose compute counts as 1.
        width_px: of the picture.
    """
    exponent, first = positive_number("exponent", exponent), positive_number("first_loss", first_loss)
    plot = Plot(
        Axis(0.1, 1e9, "log", "compute, first model = 1", ticks=(1, 1e3, 1e6)),
        Axis(0, 1, ticks=(0, 0.25, 0.5, 0.75, 1)),
        title="Answers that are right, share",
        width_px=width_px,
        height_px=240,
    )
    computes = [10 ** (step / 10) for step in range(-10, 91)]
    hues = ("muted", "rank-2", "accent")
    halves = []
    for length, hue in zip(each("lengths", lengths, positive_integer), hues, strict=True):
        shares = [
            exact_match_rate(token_accuracy=math.exp(-first * compute**-exponent), tokens=length)
            for compute in computes
        ]
        plot.curve(list(zip(computes, shares, strict=True)), colour=hue, width=2.5)
        half = (first * length / math.log(2)) ** (1 / exponent)
        halves.append(half)
        first_curve = len(halves) == 1
        x, y = (plot.x(half) - 10, plot.y(0.5) - 18) if first_curve else (plot.x(half) + 8, plot.y(0.5) + 18)
        plot.panel.text(
            x,
            y,
            f"{length} token{'s' if length > 1 else ''}",
            colour=hue,
            size=12,
            anchor="end" if first_curve else "start",
        )
    for start, end in pairwise(halves):
        plot.panel.arrow(plot.x(start) + 3, plot.y(0.5), plot.x(end) - 3, plot.y(0.5), colour="muted")
        middle = math.sqrt(start * end)
        words = f"×{float(f'{end / start:.2g}'):,.0f}"
        if end / start < 100:  # no room between the curves: under the name of the second one
            plot.panel.text(plot.x(end) + 8, plot.y(0.5) + 33, words, size=12)
        else:
            plot.panel.text(plot.x(middle), plot.y(0.5) - 7, words, anchor="middle", size=12)
    plot.dots([(half, 0.5) for half in halves], colour="ink", radius=3)
    return plot.panel


def likelihood_panel(answer_losses: ArrayLike, *, easiest: int = 0, width_px: float = WIDTH) -> Panel:
    """Return a drawing of the chance that each answer comes out right, a dot a problem, and of their mean.

    Args:
        answer_losses: of the right answers, in nats, each at least 0.
        easiest: how many problems, from the easiest on, are full dots; the others are grey.
        width_px: of the picture.
    """
    losses = np.sort(finite_array("answer_losses", answer_losses, dimensions=1))
    chances = np.exp(-losses)
    plot = Plot(
        Axis(0, math.ceil(losses[-1] / 5) * 5.0, label="loss of the right answer, nats"),
        Axis(1e-12, 1, "log", ticks=(1e-12, 1e-9, 1e-6, 1e-3, 1)),
        title="Chance to be sampled right",
        width_px=width_px,
        height_px=250,
    )
    points = [(float(x), max(float(y), 1e-12)) for x, y in zip(losses, chances, strict=True)]
    marked = nonnegative_integer("easiest", easiest)
    plot.dots(points[marked:], colour="muted" if marked else "accent", radius=3)
    plot.dots(points[:marked], colour="accent", radius=3)
    mean = float(chances.mean())
    plot.curve([(0, mean), (plot.across.high, mean)], colour="communication", dashed=True, width=1.5)
    plot.panel.text(
        plot.right, plot.y(mean) - 6, f"mean {100 * mean:.2f}%", anchor="end", colour="communication", size=12
    )
    return plot.panel


def unseen_panel(*, problems: int, marked: Mapping[str, float], width_px: float = WIDTH) -> Panel:
    """Return a drawing of how often a test shows nothing right, against the share that a model gets right.

    Args:
        problems: of the test, independent of each other.
        marked: what is written at a dot → the share, above 0 and at most 0.06.
        width_px: of the picture.
    """
    count = positive_integer("problems", problems)
    plot = Plot(
        Axis(0, 6, label="right of all problems, %", ticks=(0, 1, 2, 3, 4, 5, 6)),
        Axis(0, 100, ticks=(0, 25, 50, 75, 100)),
        title=f"None right of {count:,}, % of all tests",
        width_px=width_px,
        height_px=230,
    )
    points = [(step / 20, 100 * (1 - step / 2000) ** count) for step in range(121)]
    plot.curve(points, colour="accent", width=2.5)
    for number, (name, given) in enumerate(marked.items()):
        share = probability("marked", given)
        unseen = 100 * (1 - share) ** count
        plot.dots([(100 * share, unseen)], colour="ink", radius=4)
        above = 7 + 12 * (number % 2)  # so that neighbours do not touch
        plot.panel.text(plot.x(100 * share) + 9, plot.y(unseen) - above, f"{name}: {unseen:.0f}%", size=12)
    return plot.panel


def chord_panel(first: float, second: float, *, width_px: float = WIDTH) -> Panel:
    """Return a drawing of two problems on the curve exp(−Λ): the mean of their chances, and the chance at their mean.

    Args:
        first: loss of the right answer to one problem, in nats, above 0.
        second: of the other one, larger, at most 9.
        width_px: of the picture.
    """
    low, high = positive_number("first", first), positive_number("second", second)
    plot = Plot(
        Axis(0, 12, label="loss Λ of the right answer, nats", ticks=(0, 2, 4, 6, 8, 10, 12)),
        Axis(0, 20, ticks=(0, 5, 10, 15, 20)),
        title="Chance to be sampled right, %",
        width_px=width_px,
        height_px=230,
    )

    def chance(loss: float) -> float:
        return 100 * math.exp(-loss)

    middle, mean = (low + high) / 2, (chance(low) + chance(high)) / 2
    plot.curve([(1 + step / 10, chance(1 + step / 10)) for step in range(111)], colour="muted", width=2)
    plot.curve([(low, chance(low)), (high, chance(high))], colour="accent", dashed=True, width=1.5)
    plot.dots([(low, chance(low)), (high, chance(high))], colour="ink", radius=4)
    plot.panel.arrow(plot.x(middle), plot.y(chance(middle)) - 6, plot.x(middle), plot.y(mean) + 6, colour="muted")
    plot.dots([(middle, mean)], colour="accent", radius=5)
    plot.dots([(middle, chance(middle))], colour="communication", radius=5)
    plot.panel.text(plot.x(low) + 9, plot.y(chance(low)) - 2, "an easy problem", size=12)
    plot.panel.text(plot.x(high) + 9, plot.y(chance(high)) - 9, "a hard one", size=12)
    x = plot.x(middle) + 9
    plot.panel.text(x, plot.y(mean) - 4, f"mean of the two: {mean:.1f}%", colour="accent", size=12)
    plot.panel.text(x, plot.y(chance(middle)) - 4, f"{chance(middle):.1f}%", colour="communication", size=12)
    return plot.panel


def forecast_panel(
    scored: Sequence[float],
    *,
    forecast: float,
    scatter: tuple[float, float],
    shortcut: float,
    unseen: float,
    pays: float,
    width_px: float = WIDTH,
) -> Panel:
    """Return a drawing of the scored models, the forecast with its scatter, and what a test of some problems shows.

    Args:
        scored: shares right of the models so far, each ten times the compute of the one before.
        forecast: of the next model.
        scatter: the ends of the forecast's range.
        shortcut: what the power of the mean accuracy says of the next model.
        unseen: the largest rate that a test with none right leaves possible.
        pays: the share from which training pays on average.
        width_px: of the picture.
    """
    sizes = [10.0**step for step in range(len(scored) + 1)]
    plot = Plot(
        Axis(0.5, sizes[-1] * 4, "log", "compute, first model = 1", ticks=tuple(sizes)),
        Axis(0.002, 20, "log", ticks=(0.01, 0.1, 1, 10)),
        title="Right of all problems, %, logarithmic",
        width_px=width_px,
        height_px=300,
    )
    top = plot.y(100 * probability("unseen", unseen))
    plot.panel.rectangles([(plot.left, top, plot.right - plot.left, plot.bottom - top)], colour="idle", strength=0.25)
    plot.panel.text(plot.left + 6, top - 6, "0 of 100 leaves all this open ↓", size=12, colour="muted")
    mark = plot.y(100 * probability("pays", pays))
    plot.panel.line(plot.left, mark, plot.right, mark, dashed=True)
    plot.panel.text(plot.left + 6, mark + 15, f"breaks even at {100 * pays:.2g}%", size=12)
    known = [(size, 100 * share) for size, share in zip(sizes, scored, strict=False)]
    plot.curve([*known, (sizes[-1], 100 * forecast)], colour="accent", dashed=True, width=1.5)
    plot.dots(known, colour="accent", radius=4.5)
    for size, share in known:
        plot.panel.text(plot.x(size) + 9, plot.y(share) + 12, f"{share:.2g}%", colour="accent", size=12)
    low, high = (plot.y(100 * probability("scatter", end)) for end in scatter)
    x = plot.x(sizes[-1])
    plot.panel.line(x, low, x, high, colour="accent")
    for end in (low, high):
        plot.panel.line(x - 8, end, x + 8, end, colour="accent")
    plot.dots([(sizes[-1], 100 * forecast)], colour="accent", radius=4.5)
    plot.panel.text(
        x - 9, plot.y(100 * forecast) - 14, f"forecast: {100 * forecast:.1f}%", colour="accent", size=12, anchor="end"
    )
    plot.dots([(sizes[-1], 100 * shortcut)], colour="communication", radius=5.5)
    words = f"colleague: {float(f'{100 * shortcut:.1g}'):g}%"
    place = min(x + 52, plot.right - 4), plot.y(100 * shortcut) + 20
    plot.panel.text(*place, words, colour="communication", size=12, anchor="end")
    return plot.panel


def lines_panel(groups: Mapping[str, Sequence[float]], *, width_px: float = WIDTH) -> Panel:
    """Return a drawing of mean losses against compute, both logarithmic, with their lines and where these lead next.

    Args:
        groups: what is written at a line → mean loss of each model, which has ten times the compute of the one before.
        width_px: of the picture.
    """
    rows = [each("groups", losses, positive_number) for losses in groups.values()]
    sizes = [10.0**step for step in range(len(rows[0]) + 1)]
    ends = [_line(sizes[:-1], losses, at=(sizes[0], sizes[-1])) for losses in rows]
    least, most = min(end[1][1] for end in ends), max(end[0][1] for end in ends)
    plot = Plot(
        Axis(0.5, sizes[-1] * 3, "log", "compute, first model = 1", ticks=tuple(sizes)),
        Axis(least / 1.6, most * 1.6, "log", ticks=(1, 2, 5, 10, 20, 50)),
        title="Mean loss of a product, nats, logarithmic",
        width_px=width_px,
        height_px=260,
    )
    hues = ("muted", "accent", "rank-2")
    for name, losses, end, hue in zip(groups, rows, ends, hues, strict=False):
        plot.curve(end, colour=hue, dashed=True, width=1.5)
        plot.dots(list(zip(sizes, losses, strict=False)), colour=hue, radius=4.5)
        x, y = plot.x(sizes[-1]), plot.y(end[1][1])
        plot.panel.curve([(x - 5, y - 5), (x + 5, y + 5)], colour=hue)
        plot.panel.curve([(x - 5, y + 5), (x + 5, y - 5)], colour=hue)
        if losses is rows[-1]:  # below the last line, so that no name touches the line above it
            plot.panel.text(plot.x(sizes[1]) - 6, plot.y(losses[1]) + 17, name, colour=hue, size=12, anchor="end")
        else:
            plot.panel.text(plot.x(sizes[0]) + 10, plot.y(losses[0]) - 8, name, colour=hue, size=12)
    return plot.panel


def _line(sizes: Sequence[float], losses: Sequence[float], *, at: tuple[float, float]) -> list[tuple[float, float]]:
    """Return two points of the least-squares line through the logarithms."""
    slope, level = np.polyfit(np.log(sizes), np.log(losses), 1)
    return [(size, math.exp(level + slope * math.log(size))) for size in at]


def families_panels(families: Mapping[str, tuple[Sequence[float], Sequence[float]]], problems: int) -> list[Panel]:
    """Return two drawings of families of models: answers right of a test, and the loss of a token.

    Args:
        families: name → exact-match rates and token losses of its models, each ten times the one before.
        problems: of the test, whose expected number of right answers is drawn.
    """
    count = positive_integer("problems", problems)
    sizes = [10.0**step for step in range(len(next(iter(families.values()))[0]))]
    across = Axis(0.6, sizes[-1] * 1.7, "log", "compute, first model = 1", ticks=tuple(sizes))
    hits = Plot(
        across, Axis(0, 6, ticks=(0, 2, 4, 6)), title=f"Right of {count}, expected", width_px=330, height_px=210
    )
    loss = Plot(
        across,
        Axis(0.18, 3.5, "log", ticks=(0.25, 0.5, 1, 2)),
        title="Loss of a digit, nats, logarithmic",
        width_px=330,
        height_px=210,
    )
    for (name, (rates, losses)), hue in zip(families.items(), ("accent", "rank-1"), strict=True):
        first = hue == "accent"
        for plot, values in ((hits, [count * rate for rate in rates]), (loss, losses)):
            points = list(zip(sizes, values, strict=True))
            plot.curve(points, colour=hue, dashed=not first)
            plot.dots(points, colour=hue, radius=5 if first else 3.5)
        x, y = loss.x(sizes[1]), loss.y(losses[1])
        if not first:
            ends = _line(sizes[:-1], losses[:-1], at=(sizes[0], sizes[-1]))
            loss.curve(ends, colour="muted", dashed=True, width=1.5)
            loss.panel.text(loss.right, loss.y(ends[1][1]) + 16, "its line", anchor="end", colour="muted", size=12)
        place = {"x": x - 8, "y": y + 20, "anchor": "end"} if first else {"x": x + 4, "y": y - 9}
        loss.panel.text(**place, content=name, colour=hue, size=12)
        hits.panel.text(hits.left + 12, hits.top + (20 if first else 37), name, colour=hue, size=12)
        mark = hits.top + (16 if first else 33)
        hits.panel.dots([(hits.left + 2, mark)], colour=hue, radius=4)
    return [hits.panel, loss.panel]


def thin_line_panel() -> Panel:
    """Return a drawing of one example that fixes one slope: near 0 and farther out, off by the same error."""
    panel = Panel(WIDTH, 190)
    for number, (x, name) in enumerate(((1.0, "z = 1"), (0.2, "z = 0.2"))):
        left, base, unit = 20 + 168 * number, 120.0, 100.0
        panel.text(left, 14, name, bold=True, size=12)
        panel.line(left, base, left + 140, base)
        panel.line(left, base + 40, left, base - 96)
        panel.line(left, base, left + 130, base - 65, colour="muted", dashed=True)
        seen = 0.5 * x + 0.3
        slope = seen / x
        reach = min(130.0, 96 / slope)
        panel.curve([(left, base), (left + reach, base - reach * slope)], colour="communication")
        panel.line(left + x * unit, base - 0.5 * x * unit, left + x * unit, base - seen * unit, colour="ink")
        panel.dots([(left + x * unit, base - seen * unit)], colour="accent", radius=4.5)
        panel.text(left, base + 58, f"slope {slope:.1f} for 0.5", colour="communication", size=12)
    return panel


def descent_panel(
    weights: ArrayLike,
    *,
    examples: int,
    noise_variance: float,
    simulated: Mapping[int, float],
    medians: Mapping[int, float],
    ridge: Mapping[int, float],
    width_px: float = WIDTH,
) -> Panel:
    """Return a drawing of the error of least squares and of ridge regression against the number of features.

    Args:
        weights: true weights of all features.
        examples: ν.
        noise_variance: of a result.
        simulated: features → mean error of simulated fits.
        medians: features → median error of simulated fits.
        ridge: features → mean error of simulated ridge regressions at the best penalty.
        width_px: of the picture.
    """
    shares = np.cumsum(finite_array("weights", weights, dimensions=1) ** 2)
    total = len(shares)
    plot = Plot(
        Axis(
            0,
            total,
            label="settings used",
            ticks=tuple(sorted({0.0, 20.0, float(examples), 60.0, 80.0, float(total)})),
        ),
        Axis(0.4, 40, "log", ticks=(0.5, 1, 2, 5, 10, 20)),
        title="Squared error on a new run, logarithmic axis",
        width_px=width_px,
        height_px=330,
    )
    for part in (range(examples - 1), range(examples + 2, total + 1)):
        points = []
        for d in part:
            signal = float(shares[d - 1]) if d else 0.0
            noise = float(shares[-1]) - signal + noise_variance
            points.append((float(d), min_norm_error(examples=examples, features=d, signal=signal, noise=noise)))
        plot.curve(points, colour="accent", width=2.5)
    plot.panel.line(plot.x(examples), plot.top, plot.x(examples), plot.bottom, dashed=True)
    plot.panel.text(plot.x(examples) + 6, plot.top + 12, f"{examples} runs", size=12)
    plot.dots([*simulated.items()], colour="accent", radius=4.5)
    plot.dots([*medians.items()], colour="muted", radius=4.5)
    plot.curve([*ridge.items()], colour="rank-2", dashed=True)
    plot.dots([*ridge.items()], colour="rank-2", radius=4.5)
    for text, hue, y in (
        ("least squares", "accent", 16.0),
        (f"its median near {examples}", "muted", 34.0),
        ("ridge regression", "rank-2", 52.0),
    ):
        plot.panel.dots([(plot.right - 4, plot.top + y + 14)], colour=hue, radius=4)
        plot.panel.text(plot.right - 12, plot.top + y + 18, text, colour=hue, size=12, anchor="end")
    return plot.panel


def spread_rates(shapes: Sequence[float], *, token_accuracy: float, tokens: int) -> list[float]:
    """Return the exact match for several spreads of the problems at one and the same accuracy of a token.

    Args:
        shapes: of the gamma distribution of the problems' losses, each above 0.
        token_accuracy: how often a token is right, above 0 and below 1.
        tokens: of an answer.

    >>> [round(rate, 3) for rate in spread_rates([0.1, 4], token_accuracy=0.62, tokens=20)]
    [0.46, 0.006]
    """
    p = probability("token_accuracy", token_accuracy)
    if not 0 < p < 1:
        raise ValueError(f"token_accuracy must be above 0 and below 1, got {token_accuracy!r}")
    rates = []
    for shape in each("shapes", shapes, positive_number):
        loss = shape * math.expm1(-math.log(p) / shape)  # (1 + ℒ/ξ)^−ξ = p
        rates.append(spread_exact_match_rate(loss=loss, tokens=tokens, shape=shape))
    return rates
