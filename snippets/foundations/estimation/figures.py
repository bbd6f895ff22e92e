"""Figures: a layer's matrices to scale, walks of factors of two, trials of a product, a tornado chart, scores, runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

from snippets.domain import positive_number
from snippets.drawing import Panel
from snippets.foundations.estimation.formulas import (
    COVERAGE,
    Factor,
    geometric_middle,
    log_half_width,
    normal_interval_score,
    product_range,
    variance_shares,
)
from snippets.foundations.estimation.simulators import FloatArray, mean_score
from snippets.live.axes import Axis, Plot
from snippets.models import MODELS, Attention, FeedForward, Transformer

WIDTH = 340


def counted_layer_panel(model: Transformer | str, *, scale_px: float = 250) -> Panel:
    """Return a drawing of the matrices of one layer of a dense model, areas to scale.

    Args:
        model: a name in ``MODELS``, or a configuration of your own, with grouped queries and a gated feed-forward.
        scale_px: pixels of the feed-forward width, at most 320.
    """
    model, scale_px = MODELS.find(model), positive_number("scale_px", scale_px)
    attention, dense = model.attention, model.feed_forward
    if not isinstance(attention, Attention) or not isinstance(dense, FeedForward) or not dense.gated or scale_px > 320:
        raise ValueError(
            f"model must be dense and gated, and scale_px at most 320, got {model.name!r} and {scale_px!r}"
        )
    d, pixel = model.hidden, scale_px / dense.width
    narrow = attention.key_value_heads * attention.head_size
    high = d * pixel
    panel = Panel(WIDTH, 4 * (high + 12) + 24)
    panel.text(8, 13, f"one layer: every block is d = {d:,} high")
    y, x = 24.0, 8.0
    for name, width in (("Q", d), ("K", narrow), ("V", narrow), ("O", d)):
        wide = width * pixel
        panel.rectangle(x, y, wide, high, colour="parameters", label=f"{name}  {width:,}" if wide > 40 else "")
        if wide <= 40:
            panel.text(x + wide / 2, y + high + 11, name, anchor="middle", size=12)
        x += wide + 8
    panel.text(x, y + high / 2, f"K, V: {narrow:,} each", size=12, middle=True)
    for name in ("gate", "up", "down"):
        y += high + (20 if name == "gate" else 8)
        panel.rectangle(8, y, scale_px, high, colour="parameters", label=f"{name}  {dense.width:,}")
    return panel


def walk_counts(factors: int) -> dict[int, int]:
    """Return how many ways of halving or doubling each factor end where, counted in doublings.

    Args:
        factors: how many, 1 to 12.

    >>> walk_counts(2)
    {-2: 1, 0: 2, 2: 1}
    """
    if factors not in range(1, 13):
        raise ValueError(f"factors must be an integer from 1 to 12, got {factors!r}")
    ends = Counter(sum(steps) for steps in product((-1, 1), repeat=int(factors)))
    return dict(sorted(ends.items()))


def walks_panel(numbers: Sequence[int] = (1, 2, 4)) -> Panel:
    """Return a drawing of where the products of factors end that are each halved or doubled, one dot a way.

    Args:
        numbers: how many factors in each row, 1 to 12; a red line shows the root-mean-square distance.
    """
    rows = [walk_counts(number) for number in numbers]
    heights = [12 * max(row.values()) + 48 for row in rows]
    panel = Panel(WIDTH, sum(heights) + 42)
    farthest = max(max(row) for row in rows)
    step = 260 / (2 * farthest)
    base = 0.0
    for number, row, height in zip(numbers, rows, heights, strict=True):
        base += height
        panel.text(8, base - height + 26, f"{number} factor{'s' if number > 1 else ''}", bold=True, size=12)
        panel.line(40, base, 300, base)
        for end, ways in row.items():
            panel.dots([(170 + end * step, base - 8 - 12 * way) for way in range(ways)], colour="accent", radius=4.5)
        reach = math.sqrt(sum(ways * end**2 for end, ways in row.items()) / sum(row.values()))
        top = base - height + 22
        panel.line(170 - reach * step, base + 4, 170 + reach * step, base + 4, colour="communication")
        panel.text(332, top + 4, f"typically ×/÷ {2**reach:.3g}", anchor="end", colour="communication", size=12)
    for end in range(-farthest, farthest + 1):
        name = f"×{2**end}" if end > 0 else ("×1" if end == 0 else f"÷{2**-end}")
        panel.text(170 + end * step, base + 22, name, anchor="middle", colour="muted", size=12)
    panel.text(170, base + 38, "product, against its middle", anchor="middle", colour="muted", size=12)
    return panel


def trials_panel(trials: FloatArray, ranges: Mapping[str, tuple[float, float]], *, low: float, high: float) -> Panel:
    """Return a drawing of how often a product fell where, on a logarithmic axis of days, with ranges below it.

    Args:
        trials: the products, in days.
        ranges: name → ends of a range, in days; the bars between the ends of the first are drawn darker.
        low: left end of the axis.
        high: its right end.
    """
    axis = Axis(low, high, "log", ticks=(20, 30, 50, 75, 100, 150, 200))
    bars = 48
    counts = [0] * bars
    for value in trials:
        place = int(axis.share(float(value)) * bars)
        if 0 <= place < bars:
            counts[place] += 1
    left, wide, base = 12.0, 316.0, 150.0
    panel = Panel(WIDTH, base + 34 * len(ranges) + 44)
    panel.text(8, 14, f"{len(trials):,} trials", bold=True)
    tallest = max(counts)
    heights = [118 * count / tallest for count in counts]
    boxes = [
        (left + wide * bar / bars, base - tall, wide / bars, tall) for bar, tall in enumerate(heights) if tall >= 0.3
    ]
    ends = [left + wide * axis.share(end) for end in next(iter(ranges.values()))]
    for strength, dark in ((0.25, False), (0.7, True)):
        chosen = [box for box in boxes if (ends[0] <= box[0] + box[2] / 2 <= ends[1]) == dark]
        panel.rectangles(chosen, colour="accent", strength=strength)
    y = base + 8
    for number, (name, (start, end)) in enumerate(ranges.items()):
        y = base + 34 * (number + 1)
        a, b = left + wide * axis.share(start), left + wide * axis.share(end)
        panel.text((a + b) / 2, y - 9, f"{name}: {start:.0f} to {end:.0f} days", anchor="middle", size=12)
        panel.line(a, y, b, y, colour="communication")
        for x in (a, b):
            panel.line(x, y - 5, x, y + 5, colour="communication")
    panel.line(left, y + 14, left + wide, y + 14)
    for mark in axis.marks():
        x = left + wide * axis.share(mark)
        panel.line(x, y + 10, x, y + 18)
        panel.text(x, y + 32, f"{mark:g}", anchor="middle", colour="muted", size=12)
    panel.text(left + wide, y + 10, "days", anchor="end", colour="muted", size=12)
    return panel


def tornado_panel(factors: Sequence[Factor], *, unit: str) -> Panel:
    """Return a tornado chart: where a product goes as one factor moves through its range and the others stay.

    Args:
        factors: each a ``Factor``; those that are known exactly are not drawn.
        unit: of the product.
    """
    low, high = product_range(factors)
    centre = geometric_middle(low=low, high=high)
    rows = []
    for factor, part in zip(factors, variance_shares(factors), strict=True):
        reach = math.exp(abs(factor.power) * log_half_width(low=factor.low, high=factor.high))
        if reach > 1:
            rows.append((reach, factor.name, f"{part:.0%}"))
    rows = [*sorted(rows, reverse=True), (centre / low, "together", "100%")]
    axis = Axis(low / 1.25, high * 1.25, "log")
    left, wide = 112.0, 196.0
    panel = Panel(WIDTH, 44 * len(rows) + 30)
    panel.text(4, 16, "moves alone", bold=True, size=12)
    panel.text(WIDTH - 2, 16, "of ω²", anchor="end", size=12, bold=True)
    panel.line(left + wide * axis.share(centre), 24, left + wide * axis.share(centre), 44 * len(rows) + 8)
    for number, (reach, name, share) in enumerate(rows):
        y = 38.0 + 44 * number
        a, b = (left + wide * axis.share(end) for end in (centre / reach, centre * reach))
        together = name == "together"
        panel.rectangle(a, y - 9, b - a, 18, colour="communication" if together else "accent", strength=0.35)
        panel.text(4, y, name, size=12, middle=True)
        panel.text(a - 4, y, f"{centre / reach:.0f}", anchor="end", size=12, middle=True)
        panel.text(b + 4, y, f"{centre * reach:.0f}", size=12, middle=True)
        panel.text(WIDTH - 2, y, share, anchor="end", size=12, middle=True)
    at = left + wide * axis.share(centre)
    panel.text(at, 44 * len(rows) + 22, f"{centre:.0f} {unit}", anchor="middle", colour="muted", size=12)
    return panel


def score_panels(*, sigma_factor: float, coverage: float = COVERAGE) -> tuple[Panel, Panel]:
    """Return drawings of the expected score and of the hits, against the factor within which a range lies.

    Args:
        sigma_factor: e to the power of the standard deviation of the truth's logarithm, above 1.
        coverage: that the ranges claim.
    """
    sigma = math.log(positive_number("sigma_factor", sigma_factor))
    factors = [10 ** (number / 30) for number in range(1, 31)]
    across = Axis(1, 10, "log", "range: middle ×/÷ this factor", ticks=(1, 1.5, 2, 3, 5, 10))
    scores = [normal_interval_score(log_sigma=sigma, log_half_width=math.log(f), coverage=coverage) for f in factors]
    score = Plot(
        across, Axis(0, 6, ticks=(0, 2, 4, 6)), title="Expected score (low is good)", width_px=WIDTH, height_px=190
    )
    score.curve(list(zip(factors, scores, strict=True)), colour="accent")
    best = min(zip(scores, factors, strict=True))
    score.dots([(best[1], best[0])], colour="accent", radius=5)
    score.panel.text(score.x(best[1]), score.y(best[0]) + 18, f"best: ×/÷ {best[1]:.2g}", anchor="middle", size=12)
    hits = [100 * math.erf(math.log(f) / sigma / math.sqrt(2)) for f in factors]
    rate = Plot(across, Axis(0, 100, ticks=(0, 50, 80, 100)), title="Hits, %", width_px=WIDTH, height_px=170)
    rate.curve(list(zip(factors, hits, strict=True)), colour="communication")
    rate.dots([(best[1], 100 * math.erf(math.log(best[1]) / sigma / math.sqrt(2)))], colour="communication", radius=5)
    return score.panel, rate.panel


def runs_panel(shares: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]) -> Panel:
    """Return a drawing of the shares of the peak of several runs as dots, one a row, over ranges.

    Args:
        shares: run → its share of the peak, 0.1 to 0.6.
        ranges: name → ends of a range; the first is drawn as a grey band, the second as a dashed frame around it.
    """
    axis = Axis(0.1, 0.6, "log", ticks=(0.1, 0.2, 0.3, 0.4, 0.6))
    left, wide, row = 142.0, 178.0, 19.0
    bottom = 46 + row * len(shares)
    panel = Panel(WIDTH, bottom + 40)
    for number, (name, (low, high)) in enumerate(ranges.items()):
        a, b = left + wide * axis.share(low), left + wide * axis.share(high)
        panel.rectangle(
            a,
            38 - 6 * number,
            b - a,
            bottom - 38 + 6 * number,
            colour="communication" if number else "idle",
            strength=0.0 if number else 0.3,
            dashed=bool(number),
        )
        panel.text(4, 12 + 14 * number, f"{'dashed' if number else 'grey'}: {name}, {low:.0%} to {high:.0%}", size=12)
    for number, (name, share) in enumerate(shares.items()):
        y = 52 + row * number
        panel.text(4, y, name, size=12, middle=True)
        panel.text(left - 8, y, f"{share:.0%}", anchor="end", size=12, middle=True)
        panel.dots([(left + wide * axis.share(share), y)], colour="accent", radius=4.5)
    panel.line(left, bottom + 2, left + wide, bottom + 2)
    for mark in axis.marks():
        panel.text(left + wide * axis.share(mark), bottom + 18, f"{mark:.0%}", anchor="middle", colour="muted", size=12)
    panel.text(left + wide, bottom + 34, "share of the peak, over the whole run", anchor="end", colour="muted", size=12)
    return panel


def mean_scores(shares: Mapping[str, float], centre: float, factors: Sequence[float]) -> list[tuple[float, int]]:
    """Return for ranges around one middle the mean score over runs, and how many runs each contains.

    Args:
        shares: run → its share of the peak.
        centre: the ranges' geometric_middle, above 0.
        factors: within which factor of the middle each range lies.

    >>> mean_scores({"one": 0.3, "other": 0.6}, 0.3, [2])
    [(1.3862943611198906, 2)]
    """
    import numpy as np

    truths = np.array(list(shares.values()))
    rows = [mean_score(truths, low=centre / factor, high=centre * factor) for factor in factors]
    return [(score, round(hits * len(truths))) for score, hits in rows]
