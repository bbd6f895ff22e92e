"""Figures: the entropy of a coin, a loss above its floor, the bits of a gradient against its step and in training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter, NullLocator

from snippets.background.information import (
    cross_entropy,
    entropy,
    gaussian_entropy_bits,
    quantised_gaussian_bits,
    quantised_rate,
)
from snippets.domain import each, finite_number, nonnegative_number, positive_number, probability
from snippets.figures import colour, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 100


def coin_plot(*, marked: Sequence[float] = (0.5, 0.9)) -> Figure:
    """Plot the entropy of a coin against the probability of heads, in bits, with some coins marked.

    Args:
        marked: probabilities of heads.

    Returns:
        The figure.
    """
    coins = each("marked", marked, probability)
    shares = [place / _POINTS for place in range(_POINTS + 1)]
    with plot(width_px=330, height_px=240) as (figure, axes):
        axes.plot(shares, [entropy((p, 1 - p)) for p in shares], color=colour("accent"))
        for p in coins:
            bits = entropy((p, 1 - p))
            axes.plot([p], [bits], "o", color=colour("accent"))
            label, fair = f"p = {p:g}: {bits:.2f} bits", p == 0.5
            place, anchor = (
                ((0, -24), "center") if fair else ((-10 if p > 0.5 else 10, -4), "right" if p > 0.5 else "left")
            )
            axes.annotate(label, (p, bits), place, textcoords="offset points", ha=anchor, va="top")
        axes.set_xlabel("probability of heads p")
        axes.set_ylabel("entropy H(p), bits")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.1)
    return figure


def wrong_coin_plot(*, p: float) -> Figure:
    """Plot what it costs to code a coin with a code made for another coin: the entropy, and what is paid beyond it.

    Args:
        p: probability of heads of the true coin, above 0 and below 1.

    Returns:
        The figure: cross-entropy against the probability q that the code assumes, in bits.
    """
    coin = probability("p", p)
    if coin in (0, 1):
        raise ValueError(f"p must be above 0 and below 1, got {p!r}")
    guesses = [0.02 + 0.96 * place / _POINTS for place in range(_POINTS + 1)]
    floor = entropy((coin, 1 - coin))
    costs = [cross_entropy((coin, 1 - coin), (q, 1 - q)) for q in guesses]
    with plot(width_px=330, height_px=240) as (figure, axes):
        axes.fill_between(guesses, floor, costs, color=colour("gradients"), alpha=0.25, linewidth=0)
        axes.fill_between(guesses, 0, floor, color=colour("accent"), alpha=0.15, linewidth=0)
        axes.plot(guesses, costs, color=colour("gradients"))
        axes.axhline(floor, color=colour("accent"))
        axes.annotate(f"H(p) = {floor:.2f} bits", (0.04, floor / 2), va="center", color=colour("accent"))
        axes.annotate("D(p‖q)", (0.19, floor + 0.15), color=colour("gradients"))
        axes.annotate("H(p, q)", (0.42, 1.55), color=colour("gradients"))
        axes.set_xlabel(f"the code is made for q (true p = {coin:g})")
        axes.set_ylabel("bits per toss")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 3)
    return figure


def loss_split_plot(steps: Sequence[int], losses: Sequence[float], *, floor: float) -> Figure:
    """Plot a training loss, split into the entropy that no model gets below and the divergence that is left to learn.

    Args:
        steps: steps taken, rising.
        losses: loss at each, in nats.
        floor: conditional entropy of what is predicted, in nats.

    Returns:
        The figure, over steps on a logarithmic axis that begins at 1 for step 0.
    """
    heights = each("losses", losses, nonnegative_number)
    least = nonnegative_number("floor", floor)
    with plot(width_px=330, height_px=240) as (figure, axes):
        places = _log_steps(axes, steps)
        axes.fill_between(places, least, heights, color=colour("gradients"), alpha=0.25, linewidth=0)
        axes.fill_between(places, 0, least, color=colour("accent"), alpha=0.15, linewidth=0)
        axes.plot(places, heights, color=colour("gradients"))
        axes.axhline(least, color=colour("accent"))
        axes.annotate("loss", (places[1], heights[1]), (6, 4), textcoords="offset points", color=colour("gradients"))
        axes.annotate("D: left to learn", (places[1], (least + heights[1]) / 2), color=colour("gradients"))
        axes.annotate(f"H(Y|X) = {least:.2f} nats", (places[1], least / 2), color=colour("accent"))
        axes.set_ylabel("nats per symbol")
        axes.set_ylim(0, 1.1 * max(heights))
    return figure


def rate_plot(measured: Mapping[str, Sequence[tuple[float, float]]]) -> Figure:
    """Plot bits per number against the spread in steps: normal numbers, their fine-step rule, and what was measured.

    Args:
        measured: for each name, pairs of a spread σ/Δ, above 0, and bits per number; at most two names.

    Returns:
        The figure, with σ/Δ on a logarithmic axis.
    """
    ratios = [2 ** (-2 + 8 * place / _POINTS) for place in range(_POINTS + 1)]
    rule = [quantised_rate(differential_entropy_bits=gaussian_entropy_bits(std=ratio), step=1) for ratio in ratios]
    with plot(width_px=340, height_px=270) as (figure, axes):
        exact = [quantised_gaussian_bits(std=ratio, step=1) for ratio in ratios]
        axes.plot(ratios, exact, color=colour("accent"), label="normal numbers")
        axes.plot(ratios, rule, "--", color=colour("muted"), linewidth=1.3, label="h − log2 Δ")
        for (name, pairs), mark, tint in zip(measured.items(), "os", ("gradients", "ink"), strict=False):
            places = [positive_number("σ/Δ", ratio) for ratio, _ in pairs]
            heights = [finite_number("bits", bits) for _, bits in pairs]
            axes.plot(places, heights, mark, color=colour(tint), label=name, markersize=6, fillstyle="none")
        axes.set_xscale("log", base=2)
        axes.set_xticks([0.25, 1, 4, 16, 64], ["1/4", "1", "4", "16", "64"])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("spread in steps, σ/Δ")
        axes.set_ylabel("bits per number")
        axes.set_ylim(0, 8.6)
        axes.legend(loc="upper left", frameon=False)
    return figure


def training_bits_plot(steps: Sequence[int], curves: Mapping[str, Sequence[float]], *, title: str) -> Figure:
    """Plot bits per number of a gradient along training, one curve for each way to count.

    Args:
        steps: steps taken, rising.
        curves: for each name, bits per number at each step; at most three.
        title: what was trained.

    Returns:
        The figure, over steps on a logarithmic axis that begins at 1 for step 0. A name stands at its curve's end,
        the third's at its start.
    """
    with plot(width_px=330, height_px=270) as (figure, axes):
        places = _log_steps(axes, steps)
        styles = zip(curves.items(), ("accent", "gradients", "ink"), ("-", "--", "-."), (-1, -1, 0), strict=False)
        for (name, values), tint, style, end in styles:
            heights = each(name, values, nonnegative_number)
            axes.plot(places, heights, style, color=colour(tint))
            below = style == "--" and heights[end] > 1
            anchors: dict[str, Any] = {"ha": "right" if end else "left", "va": "top" if below else "bottom"}
            place, offset = (places[end], heights[end]), (0, -17 if below else 12 if style == "--" else 5)
            axes.annotate(name, place, offset, textcoords="offset points", color=colour(tint), **anchors)
        axes.set_ylabel("bits per number")
        axes.set_ylim(0, 6)
        axes.set_title(title)
    return figure


def _log_steps(axes: Axes, steps: Sequence[int]) -> list[float]:
    """Put steps on a logarithmic axis, step 0 at 1/2, and return their places."""
    places = [max(0.5, nonnegative_number("steps", step)) for step in steps]
    top = math.floor(math.log10(max(places)))
    ticks = [0.5, *(10.0**power for power in range(top + 1))]
    axes.set_xscale("log")
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda tick, _: "0" if tick < 1 else f"{tick:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("training step")
    return places
