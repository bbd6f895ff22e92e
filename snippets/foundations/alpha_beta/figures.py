"""Figures: a message on a time axis, times against size with fitted lines, LogP, buckets under a backward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.foundations.alpha_beta.buckets import Bucket
from snippets.foundations.alpha_beta.fit import AlphaBetaFit
from snippets.foundations.alpha_beta.formulas import (
    best_buckets,
    bucketed_step_time_s,
    effective_bandwidth_bytes_per_s,
    half_bandwidth_bytes,
    message_time_s,
)
from snippets.live.axes import Axis
from snippets.live.knobs import in_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
WIDTH = 350  # of a phone's screen; two do not stand side by side in the column, so they share an axis
MOST_OUTLINED = 8  # buckets of a step
_LEFT, _RIGHT = 72.0, 22.0  # beside the time axis: the names of the lanes, and half of the last tick


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
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{short_bytes(value)}/s"))
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
        axes.set_ylabel("achieved bandwidth")
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


def message_panel(
    sizes_bytes: Sequence[float], *, latency_s: float, bandwidth_bytes_per_s: float, width_px: float = WIDTH
) -> Panel:
    """Draw messages one below the other, each as two machines on one time axis, from the call to the last byte.

    The sender's bytes leave and the receiver's arrive at the same rate. The model does not say which part of α passes
    before the first byte leaves and which on the way; here each is half of it.

    Args:
        sizes_bytes: bytes of each message, above 0.
        latency_s: α.
        bandwidth_bytes_per_s: β.
        width_px: width of the picture.

    Returns:
        The picture: grey is α, the colour of communication the bytes.
    """
    link = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    times = [message_time_s(size_bytes=size, **link) for size in sizes_bytes]
    left = _LEFT
    scale = (width_px - left - _RIGHT) / max(times)
    panel = Panel(width_px, 118 * len(times) + 34)
    for row, (size, time) in enumerate(zip(sizes_bytes, times, strict=True)):
        y = 118.0 * row + 16
        start, move = latency_s / 2 * scale, max(size / bandwidth_bytes_per_s * scale, 1.5)
        arrive = latency_s * scale
        panel.text(0, y, f"{short_bytes(size)}: {in_units(time, 's')}", bold=True)
        for name, top, wait in (("sender", y + 12, start), ("receiver", y + 62, arrive)):
            panel.text(left - 8, top + 13, name, anchor="end", middle=True)
            panel.rectangle(left, top, wait, 26, colour="idle", label="α" if name == "receiver" else "α/2")
            panel.rectangle(left + wait, top, move, 26, colour="communication", label="n/β" if move > 40 else "")
        panel.arrow(left + start, y + 38, left + arrive, y + 62)
        panel.arrow(left + start + move, y + 38, left + arrive + move, y + 62)
    _time_axis(panel, left, 118.0 * len(times) + 8, scale, max(times))
    return panel


def _time_axis(panel: Panel, left: float, y: float, scale: float, longest_s: float, ticks: int = 7) -> None:
    """Draw a time axis from 0, with ticks at round values, below what stands at ``scale`` pixels a second."""
    panel.line(left, y, left + longest_s * scale, y)
    for tick in Axis(0, longest_s).marks(ticks):
        x = left + tick * scale
        panel.line(x, y, x, y + 4)
        panel.text(x, y + 18, in_units(tick, "s") if tick else "0", anchor="middle", colour="muted", size=12)


def messages_panel(
    *,
    messages: Sequence[int],
    total_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    width_px: float = WIDTH,
) -> Panel:
    """Draw rows of messages that share out the same bytes: in each message its latency, then its bytes.

    Args:
        messages: for each row the number of messages.
        total_bytes: bytes of a row.
        latency_s: α.
        bandwidth_bytes_per_s: β.
        width_px: width of the picture.

    Returns:
        The picture, one row below the other, all on one time axis.
    """
    longest = max(messages) * latency_s + total_bytes / bandwidth_bytes_per_s
    left = 6.0
    scale = (width_px - left - _RIGHT) / longest
    panel = Panel(width_px, 56 * len(messages) + 34)
    for row, count in enumerate(messages):
        y, x = 56 * row + 20.0, left
        wait, move = latency_s * scale, total_bytes / count / bandwidth_bytes_per_s * scale
        whole = count * latency_s + total_bytes / bandwidth_bytes_per_s
        panel.text(left, y - 6, f"{count} message{'s' if count > 1 else ''}: {in_units(whole, 's')}")
        for _ in range(count):
            panel.rectangle(x, y, wait, 22, colour="idle", label="α" if wait > 12 else "")
            panel.rectangle(x + wait, y, move, 22, colour="communication", label="bytes" if move > 40 else "")
            x += wait + move
    _time_axis(panel, left, 56.0 * len(messages) + 8, scale, longest)
    return panel


def logp_panel(
    *,
    messages: int,
    latency_s: float,
    overhead_s: float,
    gap_s: float,
    flowing: bool,
    longest_s: float,
    width_px: float = WIDTH,
) -> Panel:
    """Draw short messages between two processors in the LogP model, with o, the latency J and the gap G.

    Args:
        messages: how many.
        latency_s: J, on the network.
        overhead_s: o, for which a processor is busy with a message.
        gap_s: G, from the start of one message to the start of the next.
        flowing: whether a message is sent as soon as g allows, or when the one before it has been received.
        longest_s: what the axis spans.
        width_px: width of the picture.

    Returns:
        The picture: two lanes on one time axis. The sender learns of a message's end at no cost.
    """
    left = _LEFT
    scale = (width_px - left - _RIGHT) / longest_s
    one = latency_s + 2 * overhead_s
    starts = [number * (max(gap_s, overhead_s) if flowing else one) for number in range(messages)]
    end = starts[-1] + one
    panel = Panel(width_px, 190)
    title = "do not wait" if flowing else "wait for each other"
    panel.text(0, 14, f"{messages} messages that {title}: {in_units(end, 's')}", bold=True)
    top, bottom = (56.0, 118.0)
    panel.text(left - 8, top + 13, "sender", anchor="end", middle=True)
    panel.text(left - 8, bottom + 13, "receiver", anchor="end", middle=True)
    for number, start in enumerate(starts):
        colour, width_o = f"rank-{number}", overhead_s * scale
        sent, received = left + (start + overhead_s) * scale, left + (start + overhead_s + latency_s) * scale
        panel.rectangle(sent - width_o, top, width_o, 26, colour=colour, label="o")
        panel.arrow(sent, top + 26, received, bottom, colour=colour)
        panel.rectangle(received, bottom, width_o, 26, colour=colour, label="o")
    if not flowing:
        panel.text(left + (overhead_s + latency_s / 2) * scale + 12, (top + 26 + bottom) / 2 - 4, "J")
    if flowing and messages > 1:
        panel.line(left, 34, left, top - 2, colour="muted")
        panel.line(left + starts[1] * scale, 34, left + starts[1] * scale, top - 2, colour="muted")
        panel.arrow(left + 1, 42, left + starts[1] * scale, 42)
        panel.text(left + starts[1] * scale / 2, 36, "G", anchor="middle")
    _time_axis(panel, left, 158, scale, longest_s, ticks=4)
    return panel


def bucket_panel(
    steps: Mapping[str, Sequence[Bucket]], *, compute_s: float, latency_s: float, width_px: float = WIDTH
) -> Panel:
    """Draw steps one below the other: the backward pass, and under it the network with its buckets.

    Args:
        steps: by title, what ``bucketed_step`` returned.
        compute_s: duration of the backward pass.
        latency_s: α, drawn as the first part of each bucket.
        width_px: width of the picture.

    Returns:
        The picture, all steps on one time axis, the sum of a step's latencies beside its title. Dashes mark when a
        bucket is full, where there are at most 8; where there are more, the buckets have no outlines either.
    """
    longest = max(step[-1].end_s for step in steps.values())
    left = _LEFT
    scale = (width_px - left - _RIGHT) / longest
    panel = Panel(width_px, 96 * len(steps) + 34)
    for row, (title, step) in enumerate(steps.items()):
        y = 96.0 * row + 18
        told = f"{title}: {step[-1].end_s * 1e3:.1f} ms"
        panel.text(0, y - 3, f"{told}, latency {len(step) * latency_s * 1e3:.3g} ms", bold=True)
        panel.text(left - 8, y + 16, "backward", anchor="end", middle=True)
        panel.rectangle(left, y + 5, compute_s * scale, 22, colour="backward")
        panel.text(left - 8, y + 48, "network", anchor="end", middle=True)
        places = [
            (left + bucket.start_s * scale, latency_s * scale, (bucket.end_s - bucket.start_s - latency_s) * scale)
            for bucket in step
        ]
        if len(step) > MOST_OUTLINED:  # outlines would hide what they enclose
            panel.bars([(x, y + 37, wait, 22) for x, wait, _ in places], colour="idle", strength=1)
            panel.bars([(x + wait, y + 37, move, 22) for x, wait, move in places], colour="communication", strength=0.8)
            continue
        for bucket, (x, wait, move) in zip(step, places, strict=True):
            panel.rectangle(x + wait, y + 37, move, 22, colour="communication")
            panel.rectangle(x, y + 37, wait, 22, colour="idle", strength=1)  # last, or the border beside it covers it
            full = left + bucket.ready_s * scale
            panel.line(full, y + 5, full, y + 33, colour="ink", dashed=True)
    _time_axis(panel, left, 96.0 * len(steps) + 8, scale, longest)
    return panel


def step_time_plot(
    *,
    marked: Sequence[int],
    most: int,
    bottom_ms: float,
    top_ms: float,
    total_bytes: float,
    compute_s: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    width_px: float = WIDTH,
) -> Figure:
    """Plot a step's time against its number of buckets: both branches, and the larger of them as a thick line below.

    Args:
        marked: numbers of buckets that get a dot and their time.
        most: the largest number of buckets.
        bottom_ms: lower end of the axis, in milliseconds.
        top_ms: upper end of the axis, in milliseconds.
        total_bytes: n.
        compute_s: of the backward pass.
        latency_s: α.
        bandwidth_bytes_per_s: β.
        width_px: width of the plot.

    Returns:
        The plot, with K* marked.
    """
    step = {"total_bytes": total_bytes, "compute_s": compute_s, "latency_s": latency_s}
    step["bandwidth_bytes_per_s"] = bandwidth_bytes_per_s
    k = np.arange(1, most + 1)
    busy = latency_s + total_bytes / k / bandwidth_bytes_per_s
    branches = {"$T_{back}$ + $T_K$": compute_s + busy, "$T_{back}$/K + K$T_K$": compute_s / k + k * busy}
    times = [bucketed_step_time_s(buckets=int(count), **step) * 1e3 for count in k]
    best = best_buckets(**step)
    with plot(width_px=width_px, height_px=240) as (figure, axes):
        for (name, branch), style, up in zip(branches.items(), ("--", ":"), (-6, 6), strict=True):
            axes.plot(k, branch * 1e3, style, color=colour("ink"), linewidth=1.6, zorder=3)
            axes.annotate(
                name,
                (most, branch[-1] * 1e3),
                (4, up if next(iter(branches.values()))[-1] == branch[-1] else 0),
                textcoords="offset points",
                va="center",
                annotation_clip=False,
            )
        axes.plot(k, times, color=colour("accent"), linewidth=7, alpha=0.45, zorder=2)
        for count in marked:
            axes.plot([count], [times[count - 1]], "o", color=colour("ink"), markersize=6, zorder=4)
            if count != best:
                place: Any = {"xytext": (8, 22), "ha": "left"} if count < best else {"xytext": (-8, 9), "ha": "right"}
                axes.annotate(
                    f"K = {count}: {times[count - 1]:.1f} ms",
                    (count, times[count - 1]),
                    textcoords="offset points",
                    **place,
                )
        axes.plot([best, best], [bottom_ms, times[best - 1]], "-.", color=colour("accent"), linewidth=1.2)
        axes.annotate(
            f"K* = {best}: {times[best - 1]:.1f} ms",
            (best, times[best - 1]),
            (8, -13 if best < most / 3 else -24),  # clear of the branch below, or of its name at the right
            textcoords="offset points",
            color=colour("accent"),
            va="center",
        )
        axes.set_xlim(0, most)
        axes.set_xticks([1, *range(10, most + 1, 10)])
        axes.set_ylim(bottom_ms, top_ms)
        axes.set_xlabel("number of buckets K")
        axes.set_ylabel("step, ms")
        axes.set_title(f"backward pass: {compute_s * 1e3:g} ms", loc="left")
    return figure


def points_plot(
    sizes_bytes: Sequence[float],
    times_s: Sequence[float],
    fit: AlphaBetaFit,
    *,
    marked_bytes: float,
    mark: str,
    named: Mapping[float, str] = MappingProxyType({}),
    width_px: float = WIDTH,
) -> Figure:
    """Plot measured times of an operation and the line fitted to them against size, one size marked.

    Args:
        sizes_bytes: measured sizes.
        times_s: their times.
        fit: the line.
        marked_bytes: the size that is marked.
        mark: what is written beside it.
        named: by size, what is written beside a point.
        width_px: width of the plot.

    Returns:
        The plot, both axes logarithmic.
    """
    sizes = np.geomspace(min(sizes_bytes), max(sizes_bytes), 80)
    with plot(width_px=width_px, height_px=300) as (figure, axes):
        byte_axis(axes, sizes_bytes)
        axes.set_yscale("log")
        axes.axvline(marked_bytes, color=colour("accent"), linestyle="-.", linewidth=1.2)
        axes.text(marked_bytes * 0.9, max(times_s) * 1e3, mark, color=colour("accent"), ha="right", va="top")
        axes.plot(sizes, (fit.latency_s + sizes * fit.s_per_byte) * 1e3, color=colour("communication"))
        axes.plot(sizes_bytes, np.array(times_s) * 1e3, "o", color=colour("ink"), markersize=5)
        for size, name in named.items():
            at, left = times_s[list(sizes_bytes).index(size)] * 1e3, size < marked_bytes
            place, side = (-7 if left else 16, 4 if left else -10), "right" if left else "left"
            axes.annotate(name, (size, at), place, textcoords="offset points", ha=side, va="center")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("size of the all-reduce")
        axes.set_ylabel("time, ms")
    return figure
