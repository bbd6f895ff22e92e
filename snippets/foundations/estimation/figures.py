"""Figures: a layer's matrices to scale, a floor that grows, walks of factors of two, drawn products, scores, runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

from snippets.domain import positive_number
from snippets.drawing import Panel
from snippets.foundations.estimation.formulas import (
    COVERAGE,
    normal_interval_score,
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
    panel.text(8, 13, f"one layer: every block is h = {d:,} high")
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


def estimates_panel(rows: Mapping[str, float], *, booked: float) -> Panel:
    """Return a drawing of a time that grows from its floor, one bar below the other, and of the days that are booked.

    Args:
        rows: what has been counted so far → days, each at least as long as the one above.
        booked: days, where a dashed line goes down.
    """
    axis = Axis(0, 1.18 * max(booked, *rows.values()), ticks=(0, 30, 60, 90))
    left, wide, row = 8.0, 320.0, 42.0
    bottom = 30 + row * len(rows)
    panel = Panel(WIDTH, bottom + 38)
    x = left + wide * axis.share(booked)
    panel.text(x, 13, f"{booked:g} days booked", anchor="middle", size=12, colour="communication")
    previous = 0.0
    for number, (name, days) in enumerate(rows.items()):
        y = 30 + row * number
        panel.text(left, y + 11, f"{name}: {days:.0f} days", size=12)
        before, now = (left + wide * axis.share(length) for length in (previous, days))
        panel.rectangle(left, y + 16, before - left, 16, colour="accent", strength=0.15)
        panel.rectangle(before, y + 16, now - before, 16, colour="accent", strength=0.6)
        previous = days
    panel.line(x, 18, x, bottom, colour="communication", dashed=True)
    panel.line(left, bottom, left + wide, bottom)
    for mark in axis.marks():
        panel.text(left + wide * axis.share(mark), bottom + 15, f"{mark:g}", anchor="middle", colour="muted", size=12)
    panel.text(left + wide, bottom + 32, "days", anchor="end", colour="muted", size=12)
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


def trials_panel(
    trials: FloatArray, ranges: Mapping[str, tuple[float, float]], *, booked: float, low: float, high: float
) -> Panel:
    """Return a drawing of how often a product fell where, on a logarithmic axis of days, with ranges below it.

    Args:
        trials: the products, in days.
        ranges: name → ends of a range, in days.
        booked: days; the bars beyond them are drawn in another colour, with their share.
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
    left, wide, base = 12.0, 316.0, 172.0
    panel = Panel(WIDTH, base + 34 * len(ranges) + 60)
    panel.text(8, 14, f"{len(trials):,} runs, drawn at random", bold=True)
    tallest = max(counts)
    heights = [118 * count / tallest for count in counts]
    at = left + wide * axis.share(booked)
    boxes: dict[bool, list[tuple[float, float, float, float]]] = {True: [], False: []}
    for bar, tall in enumerate(heights):
        if tall >= 0.3:
            x, end = left + wide * bar / bars, left + wide * (bar + 1) / bars
            for late, start, stop in ((False, x, min(end, at)), (True, max(x, at), end)):
                if stop > start:
                    boxes[late].append((start, base - tall, stop - start, tall))
    panel.rectangles(boxes[False], colour="accent", strength=0.4)
    panel.rectangles(boxes[True], colour="communication", strength=0.7)
    beyond = sum(float(value) > booked for value in trials) / len(trials)
    panel.text(at + 5, 42, f"{beyond:.0%} end after {booked:g} days", size=12, colour="communication")
    panel.line(at, 30, at, base, colour="communication")
    y = base + 8
    for number, (name, (start, end)) in enumerate(ranges.items()):
        y = base + 34 * (number + 1)
        a, b = left + wide * axis.share(start), left + wide * axis.share(end)
        panel.text((a + b) / 2, y - 9, f"{name}: {start:.0f} to {end:.0f} days", anchor="middle", size=12)
        panel.line(a, y, b, y, colour="ink")
        for x in (a, b):
            panel.line(x, y - 5, x, y + 5, colour="ink")
    panel.line(left, y + 14, left + wide, y + 14)
    for mark in axis.marks():
        x = left + wide * axis.share(mark)
        panel.line(x, y + 10, x, y + 18)
        panel.text(x, y + 32, f"{mark:g}", anchor="middle", colour="muted", size=12)
    panel.text(left + wide, y + 48, "days, logarithmic", anchor="end", colour="muted", size=12)
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


def runs_panel(
    shares: Mapping[str, float], ranges: Mapping[str, tuple[float, float]], *, middle: float | None = None
) -> Panel:
    """Return a drawing of the shares of the peak of several runs as dots, one a row, over ranges.

    Args:
        shares: run → its share of the peak, 0.1 to 0.6.
        ranges: name → ends of a range; the first is drawn as a grey band, the second as a dashed frame around it.
        middle: of the ranges, where a thin line goes down; ``None`` for no line.
    """
    axis = Axis(0.1, 0.6, "log", ticks=(0.1, 0.2, 0.33, 0.5))
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
    if middle is not None:
        x = left + wide * axis.share(middle)
        panel.line(x, 38, x, bottom, colour="muted")
    for number, (name, share) in enumerate(shares.items()):
        y = 52 + row * number
        panel.text(4, y, name, size=12, middle=True)
        panel.text(left - 8, y, f"{share:.0%}", anchor="end", size=12, middle=True)
        panel.line(left, y, left + wide * axis.share(share), y, colour="line")
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
