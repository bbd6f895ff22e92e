"""Figures: bubbles and activations of pipeline schedules compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from snippets.figures import colour, plot
from snippets.palette import rank

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A schedule has the same hue and mark in every plot; names that are not here follow after these.
_LINES = ("1F1B", "GPipe", "interleaved, v = 2", "interleaved, v = 4", "ZB-H1", "ZB-H2")


def _line(name: str, number: int) -> tuple[str, str]:
    """Return the marker and colour of a schedule's line."""
    number = _LINES.index(name) if name in _LINES else len(_LINES) + number
    return "o^svDPX*"[number % 8] + "-", colour(rank(number))


def bubble_plot(
    shares: Mapping[str, Mapping[int, Any]], *, limit: float | None = None, width_px: float = 328
) -> Figure:
    """Plot the bubble as a share of the step against the number of micro-batches, a line for each schedule.

    Args:
        shares: for each schedule, the share for each number of micro-batches.
        limit: a share to mark.
        width_px: width of the plot.

    Returns:
        The plot.
    """
    with plot(width_px=width_px, height_px=300) as (figure, axes):
        for number, (name, line) in enumerate(shares.items()):
            marker, hue = _line(name, number)
            values = [100 * float(share) for share in line.values()]
            axes.plot(list(line), values, marker, color=hue, markersize=5, label=name)
        if limit is not None:
            axes.axhline(100 * limit, color=colour("muted"), linewidth=1.2, linestyle="--")
        ticks = sorted({m for line in shares.values() for m in line})
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(m) for m in ticks])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("micro-batches")
        axes.set_ylabel("bubble, % of the step")
        axes.legend(loc="upper right", fontsize=12)
    return figure


def held_plot(held: Mapping[str, Sequence[Any]], *, width_px: float = 328) -> Figure:
    """Plot what each device holds at its peak, a line for each schedule, on a logarithmic axis.

    Args:
        held: for each schedule, the peak of each device, in micro-batches of a device's share of the layers.
        width_px: width of the plot.

    Returns:
        The plot.
    """
    with plot(width_px=width_px, height_px=300) as (figure, axes):
        for number, (name, values) in enumerate(held.items()):
            marker, hue = _line(name, number)
            axes.plot(range(len(values)), [float(v) for v in values], marker, color=hue, markersize=5, label=name)
        axes.set_yscale("log", base=2)
        ticks = [1, 2, 4, 8, 16, 32]
        axes.set_yticks(ticks, [str(tick) for tick in ticks])
        axes.set_ylim(0.8, 60)
        axes.minorticks_off()
        axes.set_xlabel("device")
        axes.set_ylabel("micro-batches held")
        axes.legend(loc="lower left", fontsize=12)
    return figure
