"""Figures: what fills a device's memory, as stacked bars and over the tasks of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from snippets.domain import positive_number
from snippets.figures import colour, plot
from snippets.memory.step_timeline import KINDS, MemoryTimeline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HUES = {
    "parameters": "parameters",
    "gradients": "gradients",
    "optimizer": "optimizer",
    "activations": "activations",
    "temporary": "idle",
}
_GIGA = 10**9
_WIDTH_PX = 320  # two panels stand side by side


def stacked_bars(
    bars: Mapping[str, Mapping[str, float]],
    *,
    device_bytes: float | None = None,
    top_bytes: float | None = None,
    title: str = "",
    unit_bytes: float = _GIGA,
    unit: str = "GB",
    height_px: float = 270,
) -> Figure:
    """Draw a bar for each entry, its kinds stacked and named, against the memory of a device.

    Args:
        bars: for each bar's label the bytes of each kind, in the order in which they are stacked.
        device_bytes: where to draw the line of the device; none if ``None``.
        top_bytes: where the axis ends, for panels that are to be compared; above the highest bar if ``None``.
        title: of the panel.
        unit_bytes: bytes of one unit of the axis.
        unit: its name.
        height_px: of the panel.

    Returns:
        The plot.

    Raises:
        ValueError: if there is no bar, or a kind has no colour.
    """
    if not bars:
        raise ValueError(f"bars must hold at least one, got {bars!r}")
    kinds = list(dict.fromkeys(kind for bar in bars.values() for kind in bar))
    if not set(kinds) <= HUES.keys():
        raise ValueError(f"bars must be of the kinds {', '.join(HUES)}, got {', '.join(kinds)}")
    unit_bytes = positive_number("unit_bytes", unit_bytes)
    with plot(width_px=_WIDTH_PX, height_px=height_px) as (figure, axes):
        axes.set_axisbelow(True)
        axes.grid(visible=False, axis="x")
        highest = max(sum(bar.values()) for bar in bars.values()) / unit_bytes
        top = max(highest, 0 if device_bytes is None else device_bytes / unit_bytes) * 1.22
        if top_bytes is not None:
            top = positive_number("top_bytes", top_bytes) / unit_bytes
        named: set[str] = set()
        for place, bar in enumerate(bars.values()):
            base = 0.0
            for kind in kinds:
                value = bar.get(kind, 0) / unit_bytes
                axes.bar(place, value, bottom=base, width=0.62, color=colour(HUES[kind]), label=_once(kind, named))
                base += value
            text = f"{base:.0f}" if base >= 9.95 else f"{base:.1f}"
            axes.text(place, base + top * 0.015, text, ha="center", va="bottom")
        if device_bytes is not None:
            line = device_bytes / unit_bytes
            axes.axhline(line, color=colour("ink"), linewidth=1.2, linestyle="--")
            axes.text(len(bars) + 0.3, line, f"{line:.0f} {unit}", ha="right", va="bottom", size=12)
        axes.set_xticks(range(len(bars)), list(bars))
        axes.set_xlim(-0.5, len(bars) - 0.5 + 0.85 * (device_bytes is not None))
        axes.set_ylim(0, top)
        axes.set_ylabel(unit)
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=min(3, len(kinds)), fontsize=12, frameon=False, handlelength=1)
    return figure


def timeline_plot(timeline: MemoryTimeline, *, device_bytes: float, title: str = "", height_px: float = 270) -> Figure:
    """Draw what a step holds at each of its tasks, kinds stacked, with the device's memory and the peak.

    Args:
        timeline: of one step.
        device_bytes: where to draw the line of the device.
        title: of the panel.
        height_px: of the panel.

    Returns:
        The plot.
    """
    device = positive_number("device_bytes", device_bytes) / _GIGA
    moments = timeline.moments
    places = range(len(moments))
    with plot(width_px=_WIDTH_PX, height_px=height_px) as (figure, axes):
        axes.set_axisbelow(True)
        kinds = [kind for kind in KINDS if any(moment.held[kind] for moment in moments)]
        rows = [[moment.held[kind] / _GIGA for moment in moments] for kind in kinds]
        stack = axes.stackplot(places, rows, colors=[colour(HUES[kind]) for kind in kinds], step="mid", linewidth=0)
        for area, kind in zip(stack, kinds, strict=True):
            area.set_label(kind)
        peak = moments.index(timeline.peak)
        height = timeline.peak_bytes / _GIGA
        top = max(height, device) * 1.3
        axes.axhline(device, color=colour("ink"), linewidth=1.2, linestyle="--")
        axes.text(0, device, f"{device:.0f} GB", ha="left", va="bottom", size=12)
        axes.plot([peak], [height], marker="v", color=colour("ink"), markersize=6)
        side = "left" if peak < len(moments) / 2 else "right"
        axes.text(peak, height + top * 0.04, f"peak {height:.1f}", ha=side, va="bottom", size=12)
        starts, labels = _phases(timeline)
        axes.set_xticks(starts, labels)
        axes.set_xlim(0, len(moments) - 1)
        axes.set_ylim(0, top)
        axes.set_ylabel("GB")
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=3, fontsize=12, frameon=False, handlelength=1)
    return figure


def _phases(timeline: MemoryTimeline) -> tuple[list[int], list[str]]:
    """Where the forward pass, the backward pass and the update begin."""
    phases: Sequence[str] = [moment.phase for moment in timeline.moments]
    order = [phase for phase in ("forward", "backward", "update") if phase in phases]
    return [phases.index(phase) for phase in order], order


def _once(kind: str, named: set[str]) -> str:
    """The kind's name at its first use, for the legend; later a label that matplotlib leaves out."""
    if kind in named:
        return "_"
    named.add(kind)
    return kind
