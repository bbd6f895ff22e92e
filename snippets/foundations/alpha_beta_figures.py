"""Figures: message times against size with fitted lines, achieved bandwidth, and buckets under a backward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.foundations.alpha_beta import effective_bandwidth_bytes_per_s, half_bandwidth_bytes
from snippets.foundations.alpha_beta_fit import AlphaBetaFit
from snippets.foundations.buckets import Bucket

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def short_bytes(value: float) -> str:
    """Return a number of bytes as text, with the unit that keeps it short.

    Args:
        value: bytes.

    >>> short_bytes(250_000), short_bytes(1), short_bytes(1.5e9)
    ('250 kB', '1 B', '1.5 GB')
    """
    for unit, name in _UNITS:
        if value >= unit:
            return f"{value / unit:.3g} {name}B"
    return f"{value:.3g} B"


def byte_axis(axes: Axes, sizes_bytes: Sequence[float]) -> None:
    """Give the x axis a logarithmic scale of bytes.

    Args:
        axes: the axes of a plot.
        sizes_bytes: the sizes that the scale spans.
    """
    axes.set_xscale("log")
    axes.set_xlim(min(sizes_bytes) / 1.6, max(sizes_bytes) * 1.6)
    axes.xaxis.set_major_locator(LogLocator(base=1000))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_bytes(value)))


def bandwidth_plot(
    *,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    sizes_bytes: Sequence[float],
    measured: Sequence[tuple[float, float]] = (),
    width_px: float = 328,
    height_px: float = 260,
) -> Figure:
    """Plot the achieved bandwidth against the size of a message, with n½ and β marked.

    Args:
        latency_s: α.
        bandwidth_bytes_per_s: β.
        sizes_bytes: the sizes that the axis spans.
        measured: pairs of a size and a measured time, drawn as points.
        width_px: width of the plot.
        height_px: height of the plot.

    Returns:
        The plot, both axes logarithmic.
    """
    half = half_bandwidth_bytes(latency_s=latency_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    sizes = np.geomspace(min(sizes_bytes), max(sizes_bytes), 60)
    curve = [
        effective_bandwidth_bytes_per_s(
            size_bytes=float(size), latency_s=latency_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s
        )
        for size in sizes
    ]
    with plot(width_px=width_px, height_px=height_px) as (figure, axes):
        byte_axis(axes, sizes_bytes)
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(base=10, numticks=5))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short_bytes(value)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.axhline(bandwidth_bytes_per_s, color=colour("muted"), linestyle="--", linewidth=1.2)
        axes.text(min(sizes_bytes), bandwidth_bytes_per_s * 1.15, "β", color=colour("ink"), va="bottom")
        axes.plot(sizes, curve, color=colour("communication"))
        if measured:
            points = np.array(measured)
            axes.plot(points[:, 0], points[:, 0] / points[:, 1], "o", color=colour("ink"), markersize=4)
        axes.plot([half, half], [min(curve), bandwidth_bytes_per_s / 2], color=colour("accent"), linewidth=1.2)
        axes.plot([half], [bandwidth_bytes_per_s / 2], "s", color=colour("accent"), markersize=7)
        axes.text(half * 1.4, min(curve) * 1.4, f"n½ = {short_bytes(half)}", color=colour("accent"))
        axes.set_ylim(min(curve) / 1.6, bandwidth_bytes_per_s * 3)
        axes.set_xlabel("size of a message")
        axes.set_ylabel("achieved in a second")
    return figure


def fit_plot(
    sizes_bytes: Sequence[float],
    times_s: Sequence[float],
    fits: Mapping[str, AlphaBetaFit],
    *,
    width_px: float = 328,
    height_px: float = 260,
) -> Figure:
    """Plot measured times and fitted lines against size, both axes logarithmic; a fit's name stands at its left end.

    Args:
        sizes_bytes: sizes of the messages.
        times_s: their times.
        fits: the lines by name, at most two: drawn solid and dashed.
        width_px: width of the plot.
        height_px: height of the plot.

    Returns:
        The plot. Where a line is not above 0 it is left out.
    """
    sizes = np.geomspace(min(sizes_bytes), max(sizes_bytes), 80)
    with plot(width_px=width_px, height_px=height_px) as (figure, axes):
        byte_axis(axes, sizes_bytes)
        axes.set_yscale("log")
        styles: list[dict[str, Any]] = [
            {"color": colour("communication"), "linestyle": "-"},
            {"color": colour("muted"), "linestyle": "--"},
        ]
        for (name, fit), style in zip(fits.items(), styles, strict=False):
            line = fit.latency_s + sizes * fit.s_per_byte
            shown = line > 0
            axes.plot(sizes[shown], line[shown] * 1e6, **style)
            axes.text(sizes[shown][0], line[shown][0] * 1e6 * 1.45, name, color=style["color"])
        axes.plot(sizes_bytes, np.array(times_s) * 1e6, "o", color=colour("ink"), markersize=4)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("size of a message")
        axes.set_ylabel("time, µs")
    return figure


def messages_panel(
    *,
    messages: Sequence[int],
    total_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    width_px: float = 340,
) -> Panel:
    """Draw rows of messages that share out the same bytes: in each message its latency, then its bytes.

    Args:
        messages: for each row the number of messages.
        total_bytes: bytes of a row.
        latency_s: α.
        bandwidth_bytes_per_s: β.
        width_px: width of the picture.

    Returns:
        The picture, one row below the other, all to one scale.
    """
    longest = max(messages) * latency_s + total_bytes / bandwidth_bytes_per_s
    scale = (width_px - 20) / longest
    panel = Panel(width_px, 58 * len(messages) + 8)
    for row, count in enumerate(messages):
        y, x = 58 * row + 24.0, 10.0
        wait, move = latency_s * scale, total_bytes / count / bandwidth_bytes_per_s * scale
        whole = (count * latency_s + total_bytes / bandwidth_bytes_per_s) * 1e6
        panel.text(10, y - 7, f"{count} message{'s' if count > 1 else ''}: {whole:g} µs")
        for _ in range(count):
            panel.rectangle(x, y, wait, 22, colour="idle", label="α" if wait > 12 else "")
            panel.rectangle(x + wait, y, move, 22, colour="communication", label="bytes" if move > 40 else "")
            x += wait + move
    return panel


def bucket_panel(
    steps: Mapping[str, Sequence[Bucket]], *, compute_s: float, latency_s: float, width_px: float = 340
) -> Panel:
    """Draw steps one below the other: the backward pass, and under it the link with its buckets.

    Args:
        steps: by title, what ``bucketed_step`` returned.
        compute_s: duration of the backward pass.
        latency_s: α, drawn as the first part of each bucket.
        width_px: width of the picture.

    Returns:
        The picture, all steps to one scale.
    """
    longest = max(step[-1].end_s for step in steps.values())
    scale = (width_px - 20) / longest
    panel = Panel(width_px, 88 * len(steps) + 4)
    for row, (title, step) in enumerate(steps.items()):
        y = 88.0 * row + 18
        panel.text(10, y - 4, f"{title}: {step[-1].end_s * 1e3:.1f} ms")
        panel.rectangle(10, y + 3, compute_s * scale, 22, colour="backward", label="backward")
        for bucket in step:
            x, wait = 10 + bucket.start_s * scale, latency_s * scale
            panel.rectangle(x, y + 31, wait, 22, colour="idle")
            panel.rectangle(
                x + wait, y + 31, (bucket.end_s - bucket.start_s) * scale - wait, 22, colour="communication"
            )
    return panel
