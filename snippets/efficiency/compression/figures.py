"""Figures: a layer's clocks, a block and its grid, errors of three ways to add, and three ranks that walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from snippets.drawing import Panel
from snippets.efficiency.compression.compressors import quantise_in_blocks
from snippets.efficiency.compression.formulas import (
    one_shot_quantised_error,
    ring_requantised_error,
    two_hop_quantised_error,
)
from snippets.efficiency.compression.programs import FeedbackRun
from snippets.live.axes import Axis, Plot

WIDTH = 560
NARROW = 340
_GATHER, _REDUCE, _COMPUTE = "communication", "optimizer", "forward"


def layer_clocks_panel(
    rows: Mapping[str, tuple[float, float]],
    *,
    forward_ms: float,
    backward_ms: float,
    until_ms: float,
    width_px: float = WIDTH,
) -> Panel:
    """Draw what a layer computes, and what the network does for it, as bars on one axis.

    Args:
        rows: for each choice of bits the milliseconds of a gather and of a reduction.
        forward_ms: of a layer's forward pass.
        backward_ms: of its backward pass, recomputation included.
        until_ms: the end of the axis.
        width_px: width of the picture.

    Returns:
        The picture: forward passes above, backward passes below; lines mark where the computation ends.
    """
    left, right, bar = 12.0, 52.0, 17.0
    scale = (width_px - left - right) / until_ms
    panel = Panel(width_px, 2 * (59 + 39 * len(rows)) + 10)
    y = 16.0
    for title, compute, parts in (
        ("Forward: a layer, and the next gather", forward_ms, 1),
        ("Backward: recompute, a gather, a reduction", backward_ms, 2),
    ):
        panel.text(left, y, title, bold=True)
        y += 12
        end = left + compute * scale
        panel.rectangle(left, y, compute * scale, bar, colour=_COMPUTE, strength=0.45)
        panel.text(end + 6, y + bar / 2, f"GPU: {compute:.3g} ms", middle=True, size=12)
        panel.line(end, y - 3, end, y + bar + 3, colour="ink", dashed=True)
        y += bar + 18
        for name, (gather, reduce) in rows.items():
            panel.text(left, y - 3, name, size=12, colour="muted")
            panel.rectangle(left, y + 3, gather * scale, bar, colour=_GATHER, strength=0.45)
            panel.text(left + 6, y + 3 + bar / 2, "weights", middle=True, size=12)
            if parts == 2:
                panel.rectangle(left + gather * scale, y + 3, reduce * scale, bar, colour=_REDUCE, strength=0.45)
                panel.text(left + gather * scale + 6, y + 3 + bar / 2, "gradients", middle=True, size=12)
            total = gather + (reduce if parts == 2 else 0)
            panel.text(left + total * scale + 6, y + 3 + bar / 2, f"{total:.0f} ms", middle=True, size=12)
            panel.line(end, y, end, y + bar + 6, colour="ink", dashed=True)
            y += bar + 22
        y += 12
    return panel


def block_grid_panel(
    values: Sequence[float], *, bits: int, block: int, reach: float, title: str, width_px: float = 330
) -> Panel:
    """Draw numbers as bars, the grid of their block, and where rounding puts them.

    Args:
        values: the numbers.
        bits: of an integer, from 2 to 8.
        block: elements that share a scale.
        reach: up to which magnitude the picture goes; a longer bar is cut, and an arrow says so.
        title: above the picture.
        width_px: width of the picture.

    Returns:
        The picture: thin lines for the grid of each block, dots for what the receiver gets.
    """
    sent = quantise_in_blocks(values, bits=bits, block=block)
    restored = sent.restored()
    most = 2 ** (bits - 1) - 1
    left, top, height = 8.0, 44.0, 160.0
    wide = (width_px - 2 * left) / len(values)
    middle = top + height / 2
    scale = height / 2 / reach
    panel = Panel(width_px, top + height + 28)
    panel.text(left, 14, title, bold=True)
    for number in range(0, len(values), block):
        count = min(block, len(values) - number)
        step = float(sent.scales[number // block])
        for level in range(-most, most + 1):
            y = middle - level * step * scale
            if top - 1e-6 <= y <= top + height + 1e-6:
                panel.line(left + number * wide + 2, y, left + (number + count) * wide - 2, y, colour="line")
    for number, (value, got) in enumerate(zip(values, restored, strict=True)):
        x = left + (number + 0.5) * wide
        shown = max(-reach, min(reach, value))
        y = middle - shown * scale
        tall = max(abs(y - middle), 1)
        panel.rectangle(x - 0.22 * wide, min(y, middle), 0.44 * wide, tall, colour=_COMPUTE, strength=0.4)
        if shown == value:
            panel.dots([(x, middle - float(got) * scale)], colour=_GATHER, radius=4)
        else:
            panel.arrow(x, top + 4, x, top - 16, colour=_GATHER)
        panel.text(x, top + height + 16, f"{value:g}", anchor="middle", size=12, colour="muted")
    return panel


def ways_error_plot(
    seen: Mapping[str, Sequence[tuple[float, float]]],
    *,
    rounding_error: float,
    node_ranks: int,
    most_ranks: int = 256,
    wide: bool = True,
) -> Panel:
    """Plot the error of a rounded reduction against the ranks, for three ways to add.

    Args:
        seen: for each way the ranks and the error of simulated runs, as a share.
        rounding_error: of one rounding, as a share.
        node_ranks: ranks of a node.
        most_ranks: the end of the axis.
        wide: for a wide screen, or for a phone.

    Returns:
        The picture: curves by the formulas, dots from the simulated machine.
    """
    plot = Plot(
        Axis(8, most_ranks, "log", "ranks", ticks=tuple(8 * 2**i for i in range(20) if 8 * 2**i <= most_ranks)),
        Axis(0.4, 12, "log", ticks=(0.5, 1, 2, 5, 10)),
        title="Error of the sum, %",
        width_px=WIDTH if wide else NARROW,
        height_px=270,
    )
    ranks = list(range(node_ranks, most_ranks + 1, node_ranks))
    laws: dict[str, Callable[[int], float]] = {
        "ring": lambda r: ring_requantised_error(rounding_error=rounding_error, ranks=r),
        "two-hop": lambda r: two_hop_quantised_error(rounding_error=rounding_error, ranks=r, node_ranks=node_ranks),
        "one-shot": lambda r: one_shot_quantised_error(rounding_error=rounding_error, ranks=r),
    }
    hues = {"ring": "communication", "two-hop": "accent", "one-shot": "forward"}
    names = {"ring": "ring, rounded at every hop" if wide else "ring", "two-hop": "two hops", "one-shot": "one shot"}
    for way, law in laws.items():
        plot.curve([(float(r), 100 * law(r)) for r in ranks], colour=hues[way])
        plot.dots([(r, 100 * error) for r, error in seen.get(way, ())], colour=hues[way], radius=4)
        end = 100 * law(most_ranks)
        below = 17 if way == "one-shot" else -12
        plot.panel.text(
            plot.x(most_ranks) - 4, plot.y(end) + below, names[way], anchor="end", size=12, colour=hues[way]
        )
    return plot.panel


def three_ranks_plot(runs: Mapping[str, FeedbackRun], *, wide: bool = True) -> Panel:
    """Plot the distance to the minimum against the step, for runs of the three ranks.

    Args:
        runs: by name, in the order of the colours: all elements, the largest alone, the largest with a memory.
        wide: for a wide screen, or for a phone.

    Returns:
        The picture, on a logarithmic axis.
    """
    steps = max(len(run.points) for run in runs.values()) - 1
    plot = Plot(
        Axis(0, steps, label="step"),
        Axis(0.003, 300, "log", ticks=(0.01, 0.1, 1, 10, 100)),
        title="Distance to the minimum",
        width_px=WIDTH if wide else NARROW,
        height_px=270,
    )
    hues = ("muted", "communication", "accent")
    for (name, run), hue in zip(runs.items(), hues, strict=True):
        distances = np.linalg.norm(run.points, axis=1)
        plot.curve([(float(i), float(max(d, 1e-9))) for i, d in enumerate(distances)], colour=hue)
        if hue != "muted":  # the last curve hides the first
            at, height = {"communication": (0.55, 60.0), "accent": (1.0, 0.012)}[hue]
            label = name if hue == "communication" else f"{name}; beneath it, {next(iter(runs))}"
            label = label if wide else label.removeprefix("the largest, ")
            plot.panel.text(plot.x(at * steps) - 4, plot.y(height), label, anchor="end", size=12, colour=hue)
    return plot.panel
