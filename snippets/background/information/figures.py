"""Figures: a code as a tree, surprise, Huffman's merges, one gradient in several codes, and its bits in training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter, NullLocator

from snippets.background.information.entropy_coder import huffman_lengths, prefix_words
from snippets.background.information.formulas import (
    gaussian_entropy_bits,
    quantised_gaussian_bits,
    quantised_rate,
)
from snippets.domain import each, finite_number, nonnegative_number, positive_integer, positive_number
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.live.axes import Axis, Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 100


def code_tree_panel(counts: Mapping[str, int]) -> Panel:
    """Draw Huffman's code of some symbols as a tree whose words share out a budget of 1.

    Args:
        counts: how often each symbol comes, at least once; two symbols or more.

    Returns:
        The panel: the tree from left to right, and at its right one block a word, as high as its share ``2^(−length)``.
    """
    frequencies = [positive_integer(f"counts[{symbol}]", count) for symbol, count in counts.items()]
    words = prefix_words(huffman_lengths(frequencies))
    deepest, total = max(map(len, words)), sum(frequencies)
    panel = Panel(330, 236)
    left, wide, top, tall, blocks = 16.0, 112.0 / deepest, 34.0, 190.0, 172.0

    def middle(path: str) -> float:
        low = sum(2.0 ** -(place + 1) for place, bit in enumerate(path) if bit == "1")
        return top + tall * (low + 2.0 ** -(len(path) + 1))

    panel.text(0, 14, "The tree", bold=True)
    panel.text(blocks, 14, "The budget of 1", bold=True)
    for path in sorted({word[:length] for word in words for length in range(1, len(word) + 1)}):
        x = left + wide * len(path)
        panel.line(x - wide, middle(path[:-1]), x, middle(path))
        above = -5 if path[-1] == "0" else 12
        panel.text(x - wide / 2, (middle(path[:-1]) + middle(path)) / 2 + above, path[-1], anchor="end", size=12)
    panel.dots([(left, middle(""))], colour="muted", radius=4)
    for symbol, count, word in zip(counts, frequencies, words, strict=True):
        x, y, share = left + wide * len(word), middle(word), 2.0 ** -len(word)
        panel.line(x, y, blocks, y, colour="accent", dashed=True)
        panel.rectangle(blocks, y - tall * share / 2, 150, tall * share, colour="accent")
        panel.text(blocks + 8, y, f"{symbol} → {word}", middle=True, bold=True)
        panel.text(blocks + 142, y, f"{count} of {total}", anchor="end", middle=True, size=12)
    return panel


def surprise_panel(counts: Mapping[str, int]) -> Panel:
    """Draw the information ``−log2 p`` of an outcome against its probability, with some symbols on the curve.

    Args:
        counts: how often each symbol comes, at least once; symbols of one count share a dot.

    Returns:
        The panel.
    """
    frequencies = [positive_integer(f"counts[{symbol}]", count) for symbol, count in counts.items()]
    total = sum(frequencies)
    across, up = Axis(0, 1, label="probability p", ticks=(0, 0.25, 0.5, 0.75, 1)), Axis(0, 5, ticks=(0, 1, 2, 3, 4, 5))
    drawn = Plot(across, up, title="Information −log2 p, bits", width_px=330, height_px=236)
    lowest = 2.0**-5
    shares = [lowest + (1 - lowest) * (place / _POINTS) ** 2 for place in range(_POINTS + 1)]
    drawn.curve([(p, -math.log2(p)) for p in shares], colour="accent")
    for count in sorted(set(frequencies)):
        p = count / total
        names = " and ".join(
            symbol for symbol, frequency in zip(counts, frequencies, strict=True) if frequency == count
        )
        drawn.dots([(p, -math.log2(p))], colour="ink")
        x, y = drawn.x(p) + 8, drawn.y(-math.log2(p)) - 8
        bits = -math.log2(p)
        drawn.panel.text(x, y, f"{names}: {bits:.3g} bit{'s' * (bits != 1)}")
    return drawn.panel


def huffman_panels(counts: Mapping[str, int]) -> list[Panel]:
    """Draw Huffman's algorithm: before each merge, the trees that there are, the two lightest marked.

    Args:
        counts: how often each symbol comes, at least once; two symbols or more.

    Returns:
        One panel for each merge, with the weights of all trees and what is merged.
    """
    trees = [(positive_integer(f"counts[{symbol}]", count), [symbol]) for symbol, count in counts.items()]
    if len(trees) < 2:
        raise ValueError(f"counts must hold two symbols or more, got {dict(counts)!r}")
    merges: list[tuple[list[tuple[int, list[str]]], int]] = []
    while len(trees) > 1:
        order = sorted(range(len(trees)), key=lambda place: (trees[place][0], place))
        light, other = sorted(order[:2])
        merges.append((list(trees), 1 << light | 1 << other))
        joined = trees[light][0] + trees[other][0], trees[light][1] + trees[other][1]
        trees = [*trees[:light], joined, *trees[light + 1 : other], *trees[other + 1 :]]
    return [_merge_panel(number, *merge) for number, merge in enumerate(merges, 1)]


def _merge_panel(number: int, trees: Sequence[tuple[int, Sequence[str]]], marked: int) -> Panel:
    """Draw the trees before a merge as blocks in a row, the marked two filled and joined below."""
    panel = Panel(340, 112)
    panel.text(0, 14, f"Merge {number}", bold=True)
    symbols = sum(len(members) for _, members in trees)
    gap, x, ends = 8.0, 0.0, []
    width = (340 - gap * (len(trees) - 1)) / symbols
    for place, (weight, members) in enumerate(trees):
        wide, chosen = width * len(members), marked >> place & 1
        panel.rectangle(x, 26, wide, 44, colour="accent" if chosen else "idle", strength=0.3 if chosen else 0.08)
        panel.text(x + wide / 2, 44, ", ".join(members), anchor="middle", bold=True)
        panel.text(x + wide / 2, 62, f"weight {weight}", anchor="middle", size=12)
        if chosen:
            ends.append((x + wide / 2, weight))
        x += wide + gap
    (first, light), (second, heavy) = ends
    for end in (first, second):
        panel.line(end, 70, end, 84, colour="accent")
    panel.line(first, 84, second, 84, colour="accent")
    panel.text((first + second) / 2, 102, f"{light} + {heavy} = {light + heavy}", anchor="middle", colour="accent")
    return panel


def code_sizes_panel(groups: Mapping[str, tuple[Mapping[str, float], float]]) -> Panel:
    """Draw what one message takes in several codes, one above the other, against its entropy.

    Args:
        groups: for each way to round, the bits per number of each code, and the entropy in bits.

    Returns:
        The panel; all bars share one axis, and in each group a line stands at the entropy.
    """
    widest = max(nonnegative_number("bits", bits) for codes, _ in groups.values() for bits in codes.values())
    left, right, step = 96.0, 300.0, 26.0
    rows = sum(len(codes) for codes, _ in groups.values())
    panel = Panel(340, 42 + step * rows + 54 * len(groups))

    def x(bits: float) -> float:
        return left + (right - left) * bits / widest

    y = 0.0
    for title, (codes, least) in groups.items():
        floor = nonnegative_number("entropy", least)
        panel.text(0, y + 14, title, bold=True)
        start = y + 24
        for place, (name, bits) in enumerate(codes.items()):
            top = start + step * place
            panel.text(left - 8, top + step / 2, name, anchor="end", middle=True, size=12)
            panel.rectangle(left, top + 4, x(bits) - left, step - 8, colour="gradients", strength=0.3)
            panel.text(x(bits) + 6, top + step / 2, f"{bits:.4g}", middle=True, size=12)
        end = start + step * len(codes)
        panel.line(x(floor), start, x(floor), end + 4, colour="accent", dashed=True)
        panel.text(x(floor), end + 15, f"entropy {floor:.4g}", anchor="middle", colour="accent", size=12)
        y = end + 30
    panel.line(left, y, right, y)
    for bits in range(0, int(widest) + 1, 4):
        panel.text(x(bits), y + 16, str(bits), anchor="middle", colour="muted", size=12)
    panel.text((left + right) / 2, y + 34, "bits per number", anchor="middle", colour="muted", size=12)
    return panel


def sending_panel(ways: Mapping[str, Sequence[Sequence[tuple[float, float]]]], *, last_s: float) -> Panel:
    """Draw when chunks are coded, sent and decoded, way above way on one axis of time.

    Args:
        ways: for each way, three rows (coder, link, decoder) of the chunks' starts and ends in seconds.
        last_s: where the axis ends.

    Returns:
        The panel.
    """
    end_s = positive_number("last_s", last_s)
    left, right, row = 66.0, 318.0, 20.0
    panel = Panel(340, 34 + (3 * row + 34) * len(ways))

    def x(seconds: float) -> float:
        return left + (right - left) * seconds / end_s

    y = 0.0
    for title, rows in ways.items():
        panel.text(0, y + 14, title, bold=True)
        kinds = ("code", "gradients"), ("send", "communication"), ("decode", "gradients")
        for (name, tint), tasks in zip(kinds, rows, strict=True):
            y += row
            panel.text(left - 8, y + row / 2, name, anchor="end", middle=True, size=12)
            boxes = [(x(start), y + 3, x(end) - x(start), row - 6) for start, end in tasks]
            panel.rectangles(boxes, colour=tint, strength=0.35)
        y += row + 14
    panel.line(left, y, right, y)
    for tenths in range(int(end_s * 10) + 1):
        panel.text(x(tenths / 10), y + 16, f"{tenths / 10:g} s", anchor="middle", colour="muted", size=12)
    return panel


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
        axes.annotate("KL: left to learn", (places[1], (least + heights[1]) / 2), color=colour("gradients"))
        axes.annotate(f"H(U|G) = {least:.2f} nats", (places[1], least / 2), color=colour("accent"))
        axes.set_ylabel("nats per symbol")
        axes.set_ylim(0, 1.1 * max(heights))
    return figure


def coding_rate_plot(measured: Mapping[str, Sequence[tuple[float, float]]]) -> Figure:
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
        formula = f"log2 σ/Δ + {gaussian_entropy_bits(std=1):.2f}"
        axes.plot(ratios, rule, "--", color=colour("muted"), linewidth=1.3, label=formula)
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
