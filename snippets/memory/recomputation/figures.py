"""Figures: memory against extra forward passes, segments of every length, and what a dropped tensor costs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from snippets.domain import positive_integer, positive_number, text
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.memory.recomputation.formulas import segment_peak_bytes
from snippets.memory.recomputation.selective import TensorPrice

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
    lengths = [k for k in range(1, layers + 1) if layers % k == 0]
    peaks = [segment_peak_bytes(layers, segment_layers=k, input_bytes=1, kept_bytes=kept) for k in lengths]
    with plot(width_px=328, height_px=290) as (figure, axes):
        axes.plot(lengths, [layers / k for k in lengths], color=colour("rank-0"), linestyle=":", label="inputs L/k")
        axes.plot(lengths, [kept * k for k in lengths], color=colour("rank-1"), linestyle="--", label="records kA")
        axes.plot(lengths, peaks, color=colour("ink"), marker="o", markersize=3, linewidth=1, label="peak")
        best = lengths[peaks.index(min(peaks))]
        axes.plot([best], [min(peaks)], color=colour("accent"), marker="o", markersize=9)
        axes.annotate(
            f"k = {best}: {min(peaks)}",
            (best, min(peaks)),
            xytext=(8, 48),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": colour("accent")},
        )
        axes.set_xlim(0, min(layers, 12) + 0.5)
        axes.set_ylim(0, 3.2 * min(peaks))
        axes.set_xticks(range(0, 13, 2))
        axes.set_xlabel("layers of a segment, k")
        axes.set_ylabel("held, in inputs")
        axes.set_title(text("title", title))
        figure.legend(loc="outside lower center", ncols=3, fontsize=12, frameon=False, handlelength=1.4)
    return figure


def budgets_plot(
    runs: Mapping[int, float],
    *,
    layers: int,
    unit_bytes: float,
    marked: Mapping[str, tuple[int, int]],
    most_gb: float,
    title: str,
) -> Figure:
    """Draw the least extra computation for budgets of memory, as a staircase.

    Args:
        runs: for each budget, in inputs, the fewest forward passes of a layer.
        layers: of the chain.
        unit_bytes: of an input.
        marked: for each name a plan's peak, in inputs, and its forward passes.
        most_gb: where the axis of the budget ends.
        title: of the panel.

    Returns:
        The plot.
    """
    layers = positive_integer("layers", layers)
    unit = positive_number("unit_bytes", unit_bytes) / 1e9
    most = positive_number("most_gb", most_gb)
    budgets = sorted(budget for budget in runs if unit * budget <= most)
    with plot(width_px=328, height_px=290) as (figure, axes):
        axes.plot(
            [unit * budget for budget in budgets],
            [100 * (runs[budget] - layers) / (3 * layers) for budget in budgets],
            color=colour("rank-0"),
            linewidth=1.4,
            drawstyle="steps-post",
        )
        for name, (budget, passes) in marked.items():
            place = unit * budget, 100 * (passes - layers) / (3 * layers)
            axes.plot(*place, color=colour("rank-1"), marker="o")
            axes.annotate(
                name,
                place,
                xytext=(place[0], place[1] + 22),
                ha="left",
                arrowprops={"arrowstyle": "-", "color": colour("rank-1")},
            )
        axes.set_xlabel("budget for what the layers hold, GB")
        axes.set_ylabel("more operations, %")
        axes.set_ylim(0, 100)
        axes.set_xlim(0, most)
        axes.set_title(text("title", title))
    return figure


MADE_BY = {  # chapter 21 names a tensor by what reads it, chapter 23 by what makes it
    "query, key and value's input": "first norm's output",
    "output projection's input": "attention's output",
    "first matrix's input": "second norm's output",
    "activation function's input": "first matrix's output",
    "second matrix's input": "GeLU's output",
}


def prices_panel(prices: Sequence[TensorPrice], *, unit_bytes: float, dropped: Collection[str] = ()) -> Panel:
    """Draw each tensor's price, the operations that a freed byte costs, and its bytes as a bar.

    Args:
        prices: of a layer's tensors.
        unit_bytes: one unit of the bars.
        dropped: names of those to be drawn hollow.

    Returns:
        The panel.
    """
    unit = positive_number("unit_bytes", unit_bytes)
    left, row, width = 252.0, 21.0, 440.0
    most = max(price.bytes for price in prices)
    scale = 150 / most
    panel = Panel(width, 34 + row * len(prices) + 6)
    panel.text(0, 14, "tensor", bold=True)
    panel.text(left - 18, 14, "price", bold=True, anchor="end")
    panel.text(left, 14, "bytes, in sbh", bold=True)
    for number, price in enumerate(prices):
        y = 28 + row * number
        gone = price.name in dropped
        panel.text(0, y + row / 2, MADE_BY.get(price.name, price.name), middle=True)
        panel.rectangle(
            left,
            y + 3,
            price.bytes * scale,
            row - 6,
            colour="activations",
            strength=0.06 if gone else 0.6,
            dashed=gone,
        )
        amount = price.bytes / unit
        panel.text(left + price.bytes * scale + 8, y + row / 2, f"{amount:.3g}", middle=True, size=12)
        cost = f"{price.flops_per_byte:,.0f}"
        panel.text(left - 18, y + row / 2, cost, middle=True, anchor="end", bold=price.flops == 0)
    return panel
