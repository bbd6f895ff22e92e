"""Figures: what paid time goes into, ranks that wait for the slowest, the bill against its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.foundations.economics.formulas import (
    failure_overhead_share,
    slowest_exponential_s,
    slowest_normal_s,
    training_bill_usd,
)
from snippets.foundations.economics.simulators import Piece
from snippets.live.axes import Axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 350
PIECE_COLOURS = {"work": "forward", "checkpoint": "optimizer", "lost": "communication", "restart": "idle"}
PIECE_WORDS = {"work": "work", "checkpoint": "checkpoint", "lost": "work lost", "restart": "restart"}


def run_panel(runs: Mapping[str, Sequence[Piece]], *, unit: str = "min", width_px: float = WIDTH) -> Panel:
    """Draw runs one above the other on one time axis, piece by piece.

    Args:
        runs: by title, what ``run_between_failures`` returned, in units of the axis.
        unit: written after the last tick.
        width_px: width of the picture.

    Returns:
        The picture: each kind of piece in its colour, with a legend below the axis.
    """
    left, right, row = 4.0, 30.0, 58.0
    longest = max(pieces[-1].end_s for pieces in runs.values())
    scale = (width_px - left - right) / longest
    bottom = row * len(runs) + 4
    panel = Panel(width_px, bottom + 76)
    for number, (title, pieces) in enumerate(runs.items()):
        y = row * number + 16
        panel.text(left, y - 2, title, bold=True)
        for piece in pieces:
            panel.rectangle(
                left + piece.start_s * scale,
                y + 6,
                piece.duration_s * scale,
                24,
                colour=PIECE_COLOURS[piece.kind],
                strength=0.5,
            )
    _axis(panel, left, bottom, scale, longest, unit)
    _legend(panel, left, bottom + 34)
    return panel


def _axis(panel: Panel, left: float, y: float, scale: float, longest: float, unit: str) -> None:
    panel.line(left, y, left + longest * scale, y)
    marks = Axis(0, longest).marks(7)
    for tick in marks:
        x = left + tick * scale
        panel.line(x, y, x, y + 4)
        words = f"{tick:g}" if tick < marks[-1] else f"{tick:g} {unit}"
        panel.text(x, y + 18, words, anchor="start" if tick == 0 else "middle", colour="muted", size=12)


def _legend(panel: Panel, left: float, y: float) -> None:
    for number, (kind, hue) in enumerate(PIECE_COLOURS.items()):
        x, top = left + number % 2 * 150, y + number // 2 * 20
        panel.rectangle(x, top, 14, 14, colour=hue, strength=0.5)
        panel.text(x + 20, top + 7, PIECE_WORDS[kind], middle=True)


def waiting_panel(times: Sequence[Sequence[float]], *, unit: str = "s", width_px: float = WIDTH) -> Panel:
    """Draw steps in which ranks wait for the slowest of them.

    Args:
        times: for each step the times of its ranks, at most 8.
        unit: of the times, written after the last tick.
        width_px: width of the picture.

    Returns:
        The picture: a row for each rank; grey is waiting, vertical lines are the ends of steps.
    """
    left, right, row = 50.0, 30.0, 30.0
    ends = np.cumsum([max(step) for step in times])
    scale = (width_px - left - right) / float(ends[-1])
    ranks = len(times[0])
    panel = Panel(width_px, row * ranks + 40)
    for number in range(ranks):
        y = 6 + row * number
        panel.text(left - 8, y + 10, f"rank {number}", anchor="end", middle=True)
        start = 0.0
        for step, end in zip(times, ends, strict=True):
            x, busy = left + start * scale, step[number] * scale
            panel.rectangle(x, y, busy, 20, colour="forward", strength=0.5)
            panel.rectangle(x + busy, y, left + float(end) * scale - x - busy, 20, colour="idle", strength=0.6)
            start = float(end)
    bottom = row * ranks + 6
    for end in ends:
        x = left + float(end) * scale
        panel.line(x, 2, x, bottom, colour="ink")
    _axis(panel, left, bottom, scale, float(ends[-1]), unit)
    return panel


def utilizations_panel(hfu: float, *, width_px: float = WIDTH) -> Panel:
    """Draw a step with full recomputation as blocks of a forward pass, beside what the GPU could do in that time.

    Args:
        hfu: the share of the peak that the GPU reaches, from 0.25 to 1.
        width_px: width of the picture.

    Returns:
        The picture: what the peak allows, what is done, what the model needs, each as a bar to scale.
    """
    left, high, row = 2.0, 26.0, 58.0
    unit = (width_px - 2 * left) * hfu / 4
    panel = Panel(width_px, 3 * row - 4)
    done = (("F", "forward", 0.5), ("again", "forward", 0.2), ("B", "backward", 0.5), ("B", "backward", 0.5))
    rows = (
        ("What the GPU could do in this step, at its peak", ()),
        (f"What it does: 4 blocks, HFU {hfu:.0%}", done),
        (f"What the model needs: 3 blocks, MFU {0.75 * hfu:.0%}", (done[0], *done[2:])),
    )
    for number, (title, blocks) in enumerate(rows):
        y = row * number + 14
        panel.text(left, y, title)
        panel.rectangle(left, y + 8, width_px - 2 * left, high, colour="line", strength=0.4)
        for place, (name, hue, strength) in enumerate(blocks):
            x = left + place * unit
            panel.rectangle(x + 1, y + 8, unit - 2, high, colour=hue, strength=strength)
            panel.text(x + unit / 2, y + 8 + high / 2, name, anchor="middle", middle=True, size=12)
    return panel


def bill_plot(
    *,
    flops: float,
    peak_flops_per_s: float,
    usd_per_device_hour: float,
    marked: Mapping[str, float],
    width_px: float = WIDTH,
) -> Figure:
    """Plot a run's bill against its utilization.

    Args:
        flops: operations of the model.
        peak_flops_per_s: peak of one device.
        usd_per_device_hour: price of an hour.
        marked: utilizations that get a dot, by what is written beside it.
        width_px: width of the plot.

    Returns:
        The plot, in millions of dollars.
    """
    job = {"flops": flops, "peak_flops_per_s": peak_flops_per_s, "usd_per_device_hour": usd_per_device_hour}
    shares = np.linspace(0.15, 1, 60)
    with plot(width_px=width_px, height_px=250) as (figure, axes):
        axes.plot(
            100 * shares,
            [training_bill_usd(utilization=float(share), **job) / 1e6 for share in shares],
            color=colour("accent"),
        )
        for name, share in marked.items():
            bill = training_bill_usd(utilization=share, **job) / 1e6
            axes.plot([100 * share], [bill], "o", color=colour("ink"), markersize=6)
            near_end = share > 0.7
            place = (0, 30) if near_end else (14, 10)
            axes.annotate(
                name, (100 * share, bill), place, textcoords="offset points", ha="right" if near_end else "left"
            )
        axes.set_xlim(10, 103)
        axes.set_ylim(0, None)
        axes.set_xlabel("MFU, %")
        axes.set_ylabel("bill, millions of dollars")
    return figure


def interval_plot(
    *, checkpoint_s: float, restart_s: float, mtbf_s: float, marked: Mapping[str, float], width_px: float = WIDTH
) -> Figure:
    """Plot what checkpoints and failures add against the interval between checkpoints, to first order.

    Args:
        checkpoint_s: for how long a checkpoint stops the run.
        restart_s: from a failure until the run goes on.
        mtbf_s: mean time between failures of the whole run.
        marked: intervals in seconds that get a dot on the sum, by what is written beside it.
        width_px: width of the plot.

    Returns:
        The plot: percent of the useful time against minutes, for the sum and for each of its three parts.
    """
    stops = {"checkpoint_s": checkpoint_s, "restart_s": restart_s, "mtbf_s": mtbf_s}
    intervals = np.geomspace(90, 3600, 60)
    added = np.array([failure_overhead_share(interval_s=float(each), **stops) for each in intervals])
    parts = {
        "all": ("accent", "-", 100 * added),
        "checkpoints": ("optimizer", "-", 100 * checkpoint_s / intervals),
        "work lost": ("communication", "-", 100 * intervals / 2 / mtbf_s),
        "restarts": ("muted", "--", np.full(len(intervals), 100 * restart_s / mtbf_s)),
    }
    with plot(width_px=width_px, height_px=290) as (figure, axes):
        for hue, style, values in parts.values():
            axes.plot(intervals / 60, values, style, color=colour(hue))
        for name, place in (("all", (30, 16)), ("checkpoints", (2.5, 7.4)), ("work lost", (22, 3.2))):
            axes.annotate(name, place, (0, 0), textcoords="offset points", color=colour(parts[name][0]))
        axes.annotate("restarts", (60, 100 * restart_s / mtbf_s), (0, 5), textcoords="offset points", ha="right")
        for (name, interval), above in zip(marked.items(), (True, False), strict=False):
            share = 100 * failure_overhead_share(interval_s=interval, **stops)
            axes.plot([interval / 60], [share], "o", color=colour("ink"), markersize=6)
            axes.annotate(
                name,
                (interval / 60, share),
                (0, 14) if above else (6, -17),
                textcoords="offset points",
                ha="center" if above else "left",
            )
        axes.set_xscale("log")
        axes.set_xticks([2, 5, 10, 20, 60], ["2", "5", "10", "20", "60"])
        axes.minorticks_off()
        axes.set_ylim(0, None)
        axes.set_xlabel("minutes of work between checkpoints")
        axes.set_ylabel("added, % of the useful time")
    return figure


def slowest_plot(*, mean_s: float, deviation_s: float, most_ranks: int, marked: int, width_px: float = WIDTH) -> Figure:
    """Plot the mean time of the slowest of R ranks against R, for two tails of the same mean and deviation.

    Args:
        mean_s: mean time of a rank.
        deviation_s: its standard deviation.
        most_ranks: the largest R, a power of two.
        marked: R that gets dots with their values.
        width_px: width of the plot.

    Returns:
        The plot, with a logarithmic axis of ranks.
    """
    counts = [2**power for power in range(most_ranks.bit_length())]
    fixed = {"fastest_s": mean_s - deviation_s, "excess_s": deviation_s}

    def normal(ranks: int) -> float:
        return slowest_normal_s(mean_s=mean_s, deviation_s=deviation_s, ranks=ranks)

    def exponential(ranks: int) -> float:
        return slowest_exponential_s(**fixed, ranks=ranks)

    with plot(width_px=width_px, height_px=250) as (figure, axes):
        for name, slowest, style in (("exponential", exponential, "-"), ("normal", normal, "--")):
            values = [slowest(count) for count in counts]
            axes.plot(counts, values, style, color=colour("accent"))
            axes.plot([marked], [slowest(marked)], "o", color=colour("ink"), markersize=6)
            axes.annotate(
                f"{name}: {slowest(marked):.2f}",
                (marked, slowest(marked)),
                (-8, 6),
                textcoords="offset points",
                ha="right",
            )
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 16, 256, 4096, 65536], ["1", "16", "256", "4,096", "65,536"])
        axes.minorticks_off()
        axes.set_xlabel("ranks that wait for one another")
        axes.set_ylabel("mean time of a step, s")
    return figure


def ranges_panel(
    rows: Mapping[str, tuple[float, float]], *, marked: Mapping[str, float], width_px: float = WIDTH
) -> Panel:
    """Draw ranges one below the other on one axis of money.

    Args:
        rows: by title, the two ends of a range, in millions of dollars.
        marked: by what is written over a dashed line, where it is; at most two, from the lower.
        width_px: width of the picture.

    Returns:
        The picture, with both ends written on each range.
    """
    left, right, row, top = 4.0, 62.0, 46.0, 20.0
    low, high = min(ends[0] for ends in rows.values()), max(ends[1] for ends in rows.values())
    axis = Axis(max(0.0, low - 0.05 * (high - low)), high + 0.02 * (high - low))
    panel = Panel(width_px, row * len(rows) + 50 + top)

    def place(value: float) -> float:
        return left + axis.share(value) * (width_px - left - right)

    bottom = row * len(rows) + 6 + top
    for number, (words, value) in enumerate(marked.items()):
        panel.text(place(value), 13, words, anchor="end" if number < len(marked) - 1 else "start", bold=True, size=12)
    for number, (title, (start, end)) in enumerate(rows.items()):
        y = row * number + 14 + top
        panel.text(0, y, title)
        panel.rectangle(place(start), y + 7, place(end) - place(start), 14, colour="accent", strength=0.5)
        for value in marked.values():  # beside the bars, so that no line runs through a title
            panel.line(place(value), y + 4, place(value), y + 24, colour="ink", dashed=True)
        panel.text(place(end) + 5, y + 14, f"{start:.0f} to {end:.0f}", middle=True, size=12)
    panel.line(left, bottom, width_px - right, bottom)
    for tick in axis.marks(6):
        panel.line(place(tick), bottom, place(tick), bottom + 4)
        panel.text(place(tick), bottom + 18, f"{tick:g}", anchor="middle", colour="muted", size=12)
    panel.text(
        (left + width_px - right) / 2, bottom + 36, "millions of dollars", anchor="middle", colour="muted", size=12
    )
    return panel
