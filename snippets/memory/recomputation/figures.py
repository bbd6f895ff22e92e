"""Figures: memory against extra forward passes, and segments of every length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from snippets.domain import positive_integer, positive_number, text
from snippets.figures import colour, plot
from snippets.memory.recomputation.formulas import segment_peak_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def segments_plot(layers: int, *, kept: int, title: str) -> Figure:
    """Draw the peak for every length of a segment that divides the chain, and its two parts.

    Args:
        layers: of the chain.
        kept: what a layer keeps, in multiples of its input.
        title: of the panel.

    Returns:
        The plot.
    """
    layers, kept = positive_integer("layers", layers), positive_integer("kept", kept)
    lengths = [length for length in range(1, layers + 1) if layers % length == 0]
    peaks = [segment_peak_bytes(layers, segment_layers=length, input_bytes=1, kept_bytes=kept) for length in lengths]
    with plot(width_px=328, height_px=290) as (figure, axes):
        axes.plot(lengths, [layers / one for one in lengths], color=colour("rank-0"), linestyle=":", label="inputs L/ℓ")
        axes.plot(lengths, [kept * one for one in lengths], color=colour("rank-1"), linestyle="--", label="records ℓA")
        axes.plot(lengths, peaks, color=colour("ink"), marker="o", markersize=3, linewidth=1, label="peak")
        best = lengths[peaks.index(min(peaks))]
        axes.plot([best], [min(peaks)], color=colour("accent"), marker="o", markersize=9)
        axes.annotate(
            f"least at ℓ = {best}: {min(peaks)}",
            (best, min(peaks)),
            xytext=(8, 48) if lengths.index(best) else (64, -14),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": colour("accent")},
        )
        axes.set_xlim(0, min(layers, 12) + 0.5)
        axes.set_ylim(0, 3.2 * min(peaks))
        axes.set_xticks(range(0, 13, 2))
        axes.set_xlabel("layers of a segment, ℓ")
        axes.set_ylabel("held, in inputs")
        axes.set_title(text("title", title))
        figure.legend(loc="outside lower center", ncols=3, fontsize=12, frameon=False, handlelength=1.4)
    return figure


def budgets_plot(
    runs: Mapping[int, float],
    *,
    layers: int,
    step_passes: float,
    unit_bytes: float,
    marked: Mapping[str, tuple[int, int]],
    most_gb: float,
    title: str,
) -> Figure:
    """Draw the least extra computation for budgets of memory, as a staircase.

    Args:
        runs: for each budget, in inputs, the fewest forward passes of a layer.
        layers: of the chain.
        step_passes: what the whole step costs without recomputation, in forward passes of a layer.
        unit_bytes: of an input.
        marked: for each name a plan's peak, in inputs, and its forward passes.
        most_gb: where the axis of the budget ends.
        title: of the panel.

    Returns:
        The plot.
    """
    layers = positive_integer("layers", layers)
    step = positive_number("step_passes", step_passes)
    unit = positive_number("unit_bytes", unit_bytes) / 1e9
    most = positive_number("most_gb", most_gb)
    budgets = sorted(budget for budget in runs if unit * budget <= most)
    with plot(width_px=328, height_px=290) as (figure, axes):
        axes.plot(
            [unit * budget for budget in budgets],
            [100 * (runs[budget] - layers) / step for budget in budgets],
            color=colour("rank-0"),
            linewidth=1.4,
            drawstyle="steps-post",
        )
        for name, (budget, passes) in marked.items():
            place = unit * budget, 100 * (passes - layers) / step
            axes.plot(*place, color=colour("rank-1"), marker="o")
            axes.annotate(
                name,
                place,
                xytext=(place[0], place[1] + 22),
                ha="left",
                arrowprops={"arrowstyle": "-", "color": colour("rank-1")},
            )
        axes.set_xlabel("budget for what the layers hold, GB")
        axes.set_ylabel("more FLOPs, % of the step")
        axes.set_ylim(0, 100)
        axes.set_xlim(0, most)
        axes.set_title(text("title", title))
    return figure
