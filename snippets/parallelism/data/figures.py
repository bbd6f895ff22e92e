"""Figures: one batch on one machine and on several, what a token counts for, steps on a clock, workers and a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.live.axes import Axis
from snippets.live.knobs import in_units
from snippets.palette import rank
from snippets.parallelism.data.steps import SharedStep, Update

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE_PX = 690.0
NARROW_PX = 352.0  # as wide as a phone
_LEFT = 84.0
_MOST_OUTLINED = 30
_LEAST_GAP = 1e-14
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _gradients(numbers: Sequence[int]) -> str:
    return " + ".join(f"g{number}".translate(_SUBSCRIPTS) for number in numbers)


def shares_panel(*, machines: int, micro_batches: int, sum_s: float = 2.0, until_s: float, title: str) -> Panel:
    """Draw who computes which micro-batch when: rows of machines, a forward of 1 and a backward of 2 units for each.

    Args:
        machines: rows; they share the micro-batches in consecutive parts of one size.
        micro_batches: all of them, a multiple of ``machines``.
        sum_s: how long the sum over machines takes, where there is more than one.
        until_s: time at the right edge.
        title: above the rows.

    Returns:
        The picture, with a time axis below the rows.

    Example:
        >>> shares_panel(machines=2, micro_batches=4, until_s=9, title="two").svg().count("update")
        2
    """
    own = micro_batches // machines
    scale = (WIDE_PX - _LEFT - 62) / until_s
    panel = Panel(WIDE_PX, 24 + 32 * machines + 46)
    panel.text(0, 14, title, bold=True)
    for machine in range(machines):
        y = 24.0 + 32 * machine
        panel.text(_LEFT - 8, y + 12, f"machine {machine}", anchor="end", middle=True)
        for place in range(own):
            x, number = _LEFT + 3 * place * scale, machine * own + place
            panel.rectangle(x, y, scale, 24, colour="forward", label=f"F{number}" if scale > 17 else "")
            panel.rectangle(x + scale, y, 2 * scale, 24, colour="backward", label=f"B{number}")
        x = _LEFT + 3 * own * scale
        if machines > 1:
            panel.rectangle(x, y, sum_s * scale, 24, colour="communication", label="sum")
            x += sum_s * scale
        panel.rectangle(x, y, 54, 24, colour="optimizer", label="update")
    y = 24.0 + 32 * machines
    panel.line(_LEFT, y, _LEFT + until_s * scale, y)
    for tick in Axis(0, until_s).marks(10):
        panel.line(_LEFT + tick * scale, y, _LEFT + tick * scale, y + 4)
        panel.text(_LEFT + tick * scale, y + 16, f"{tick:g}", anchor="middle", colour="muted", size=12)
    parts = [range(machine * own, (machine + 1) * own) for machine in range(machines)]
    added = _gradients(parts[0]) if machines == 1 else " + ".join(f"({_gradients(part)})" for part in parts)
    panel.text(_LEFT, y + 36, f"added up: {added}")
    return panel


def loss_plots(curves: Mapping[str, Sequence[float]], *, reference: str) -> tuple[Figure, Figure]:
    """Plot losses against the step, and how far each lies from the reference's, as a share of it, on a log axis.

    Args:
        curves: by name, the losses; the reference is drawn as a broad band, the others as a line and as dots.
        reference: the name of the curve to compare with.

    Returns:
        Two plots. Differences below 1e-14 are drawn there.
    """
    base = np.array(curves[reference])
    styles = [("o", "accent"), ("-", "communication")]
    with plot(width_px=328, height_px=250) as (losses, axes):
        axes.plot(base, color=colour("idle"), linewidth=7, alpha=0.5, label=reference)
        for (name, curve), (mark, hue) in zip(_others(curves, reference), styles, strict=False):
            axes.plot(curve, mark, color=colour(hue), markersize=3, linewidth=1.6, label=name)
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("step")
        axes.set_ylabel("loss")
        axes.legend(loc="upper right", fontsize=12)
    with plot(width_px=328, height_px=250) as (apart, axes):
        for (name, curve), (mark, hue) in zip(_others(curves, reference), styles, strict=False):
            gaps = np.maximum(abs(np.array(curve) - base) / base, _LEAST_GAP)  # rounding differs between processors
            axes.plot(range(1, len(gaps)), gaps[1:], mark, color=colour(hue), markersize=3, linewidth=1.6, label=name)
        axes.set_yscale("log")
        axes.set_ylim(_LEAST_GAP / 30, 30)
        axes.set_xlabel("step")
        axes.set_ylabel("difference / loss")
    return losses, apart


def _others(curves: Mapping[str, Sequence[float]], reference: str) -> list[tuple[str, Sequence[float]]]:
    return [(name, curve) for name, curve in curves.items() if name != reference]


def token_plots(tokens: Sequence[Sequence[int]], counts: Mapping[str, Sequence[float]]) -> list[Figure]:
    """Plot for how much a token of each micro-batch counts under rules of averaging, a line at 1.

    Args:
        tokens: for each machine, those of its micro-batches.
        counts: by rule, what a token of each micro-batch counts for, one machine after the other.

    Returns:
        For each rule a plot of bars with their values, a machine's beside each other.
    """
    places = np.array([place + 0.7 * number for number, place in _numbered(tokens)])
    highest = max(max(values) for values in counts.values())
    figures = []
    for name, values in counts.items():
        with plot(width_px=328, height_px=250) as (figure, axes):
            axes.bar(places, values, 0.86, color=colour("accent"), alpha=0.5)
            for place, value in zip(places, values, strict=True):
                up = 0.12 if value > 1 else 1.12 - value  # not on the line
                axes.text(place, value + up, f"{value:.2g}", ha="center", fontsize=12)
            axes.axhline(1, color=colour("ink"), linewidth=1.2, linestyle="--")
            axes.set_xticks(places, [f"{count:,}" for own in tokens for count in own], fontsize=12)
            axes.set_ylim(0, 1.13 * highest)
            axes.set_xlabel("tokens of the micro-batch")
            axes.set_ylabel("a token counts for")
            axes.set_title(name, fontsize=13)
            axes.set_axisbelow(True)
            axes.grid(axis="x", visible=False)
        figures.append(figure)
    return figures


def _numbered(rows: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return for each entry the number of its row, and its place among all."""
    return [(number, place) for place, number in enumerate(n for n, row in enumerate(rows) for _ in row)]


def shared_step_panel(steps: Mapping[str, SharedStep], *, width_px: float = WIDE_PX) -> Panel:
    """Draw steps one above the other on one time axis: a lane for the GPU's passes, and one for its link's buckets.

    Args:
        steps: by name, what ``shared_step`` returned.
        width_px: width of the picture.

    Returns:
        The picture; each title says how long the step takes and for which share of it the GPU waits.
    """
    longest = max(step.end_s for step in steps.values())
    scale = (width_px - 50 - 12) / longest
    panel = Panel(width_px, 92 * len(steps) + 30)
    for row, (name, step) in enumerate(steps.items()):
        y = 92.0 * row + 14
        panel.text(0, y, f"{name}: {in_units(step.end_s, 's')}, waits {step.waiting_share:.1%}", bold=True)
        panel.text(42, y + 21, "GPU", anchor="end", middle=True)
        panel.text(42, y + 53, "link", anchor="end", middle=True)
        for one in step.passes:
            hue = "forward" if one.kind == "F" else "backward"
            wide = (one.end_s - one.start_s) * scale
            label = f"{one.kind}{one.micro_batch}" if wide > 24 else ""
            panel.rectangle(50 + one.start_s * scale, y + 10, wide, 22, colour=hue, label=label)
        last = step.passes[-1].end_s
        panel.rectangle(50 + last * scale, y + 10, (step.end_s - last) * scale, 22, colour="idle", strength=0.12)
        boxes = [
            (50 + bucket.start_s * scale, y + 42, (bucket.end_s - bucket.start_s) * scale, 22.0)
            for bucket in step.buckets
        ]
        if len(boxes) > _MOST_OUTLINED:
            panel.bars(boxes, colour="communication", strength=0.45)
        else:
            panel.rectangles(boxes, colour="communication")
    y = 92.0 * len(steps) + 4
    panel.line(50, y, 50 + longest * scale, y)
    for tick in Axis(0, longest).marks(8):
        panel.line(50 + tick * scale, y, 50 + tick * scale, y + 4)
        panel.text(
            50 + tick * scale, y + 18, in_units(tick, "s") if tick else "0", anchor="middle", colour="muted", size=12
        )
    return panel


def rounds_panel(times_s: Sequence[Sequence[float]], *, until_s: float) -> Panel:
    """Draw workers that wait for each other after every gradient: work in the workers' colours, waiting in grey.

    Args:
        times_s: for each worker its times, all of one length.
        until_s: time at the right edge; rounds that end later are left out.

    Returns:
        The picture; a line marks the end of each round, where all make one update.
    """
    scale = (WIDE_PX - _LEFT - 14) / until_s
    panel = Panel(WIDE_PX, 24 + 30 * len(times_s) + 26)
    begin, updates = 0.0, 0
    rounds = list(zip(*times_s, strict=True))
    for times in rounds:
        end = begin + max(times)
        if end > until_s + 1e-9:
            break
        updates += 1
        for worker, time in enumerate(times):
            y = 24.0 + 30 * worker
            panel.rectangle(_LEFT + begin * scale, y, time * scale, 24, colour=rank(worker), label="0")
            panel.rectangle(
                _LEFT + (begin + time) * scale, y, (end - begin - time) * scale, 24, colour="idle", strength=0.12
            )
        x = _LEFT + end * scale
        panel.line(x, 22, x, 24 + 30 * len(times_s), colour="ink")
        begin = end
    panel.text(0, 14, f"Wait for each other: {updates} updates, each by {len(times_s)} gradients", bold=True)
    _workers(panel, len(times_s), scale, until_s)
    return panel


def server_panel(updates: Sequence[Update], *, until_s: float) -> Panel:
    """Draw workers whose gradients a server takes as they come: blocks of work, in each the staleness of its gradient.

    Args:
        updates: what ``server_updates`` returned.
        until_s: time at the right edge; what comes later is left out.

    Returns:
        The picture.
    """
    scale = (WIDE_PX - _LEFT - 14) / until_s
    workers = 1 + max(update.worker for update in updates)
    panel = Panel(WIDE_PX, 24 + 30 * workers + 26)
    shown = [update for update in updates if update.at_s <= until_s + 1e-9]
    panel.text(0, 14, f"A server takes each gradient as it comes: {len(shown)} updates", bold=True)
    for update in shown:
        y, start = 24.0 + 30 * update.worker, _LEFT + update.read_s * scale
        wide = (update.at_s - update.read_s) * scale
        panel.rectangle(start, y, wide, 24, colour=rank(update.worker), label=str(update.staleness))
    _workers(panel, workers, scale, until_s)
    return panel


def _workers(panel: Panel, workers: int, scale: float, until_s: float) -> None:
    """Name the rows, and draw the time axis below them."""
    for worker in range(workers):
        panel.text(_LEFT - 8, 36 + 30 * worker, f"worker {worker}", anchor="end", middle=True)
    y = 24.0 + 30 * workers
    panel.line(_LEFT, y, _LEFT + until_s * scale, y)
    for tick in Axis(0, until_s).marks(11):
        panel.line(_LEFT + tick * scale, y, _LEFT + tick * scale, y + 4)
        panel.text(_LEFT + tick * scale, y + 17, f"{tick:g}", anchor="middle", colour="muted", size=12)


def interval_panel(
    rows: Mapping[str, tuple[float, float, Sequence[tuple[str, float]]]], *, width_px: float = NARROW_PX
) -> Panel:
    """Draw predicted intervals of the efficiency as bars, and reported values as marks on them.

    Args:
        rows: by name, the lower and the upper end, and the reported values with what is written at each.
        width_px: width of the picture.

    Returns:
        The picture, an axis from 40% to 100% below it.
    """
    left, right = 92.0, 20.0
    scale = (width_px - left - right) / 0.6
    panel = Panel(width_px, 54 * len(rows) + 30)
    for number, (name, (low, high, reported)) in enumerate(rows.items()):
        y = 54.0 * number + 18
        panel.text(left - 10, y + 12, name, anchor="end", middle=True)
        panel.rectangle(left + (low - 0.4) * scale, y, (high - low) * scale, 24, colour="accent")
        for said, value in reported:
            x = left + (value - 0.4) * scale
            panel.curve([(x, y - 4), (x, y + 28)], colour="ink", width=3)
            panel.text(x, y - 7, said, anchor="middle", size=12)
    y = 54.0 * len(rows) + 6
    panel.line(left, y, width_px - right, y)
    for tick in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        x = left + (tick - 0.4) * scale
        panel.line(x, y, x, y + 4)
        panel.text(x, y + 18, f"{tick:.0%}", anchor="middle", colour="muted", size=12)
    return panel
