"""Figures: memory against extra forward passes, segments of every length, and what a dropped tensor costs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from snippets.domain import positive_integer, positive_number, text
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.memory.recomputation import (
    cheapest_plan,
    keep_all_tasks,
    plan_account,
    segment_peak_bytes,
    uniform_chain,
)
from snippets.memory.selective_recomputation import TensorPrice

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


def budgets_plot(layers: int, *, kept: int, unit_bytes: float, marked: Sequence[tuple[str, int]] = ()) -> Figure:
    """Draw the least extra computation for every budget of memory.

    Args:
        layers: of the chain.
        kept: what a layer keeps, in multiples of its input.
        unit_bytes: of an input.
        marked: names and lengths of segments of plans to mark.

    Returns:
        The plot.
    """
    layers, kept = positive_integer("layers", layers), positive_integer("kept", kept)
    unit = positive_number("unit_bytes", unit_bytes) / 1e9
    chain = uniform_chain(layers, kept_bytes=kept)
    most = plan_account(chain, keep_all_tasks(layers)).peak_bytes
    points: list[tuple[int, float]] = []
    budgets = sorted({*range(kept + 3, 2 * kept, 2), *range(2 * kept, layers + kept + 1, 5), layers + kept + 1})
    budgets += range(layers + 2 * kept, most - kept + 2, 3 * (kept - 1))
    budgets.append(most)
    for budget in budgets:
        plan = cheapest_plan(chain, budget_bytes=budget)
        if plan is not None:
            points.append((budget, 100 * (plan.forward_passes - layers) / (3 * layers)))
    with plot(width_px=670, height_px=290) as (figure, axes):
        axes.plot(
            [unit * m for m, _ in points],
            [share for _, share in points],
            color=colour("rank-0"),
            marker="o",
            markersize=3,
            linewidth=1,
        )
        for number, (name, length) in enumerate(marked):
            peak = segment_peak_bytes(layers, segment_layers=length, input_bytes=1, kept_bytes=kept)
            again = layers - (layers - (-(-layers // length) - 1) * length)
            place = unit * peak, 100 * again / (3 * layers)
            axes.plot(*place, color=colour("rank-1"), marker="o")
            axes.annotate(name, place, xytext=(10, max(34 - 22 * number, 12)), textcoords="offset points")
        axes.set_xlabel("budget for what the layers hold, GB")
        axes.set_ylabel("more operations in a step, %")
        axes.set_ylim(0, 100)
        axes.set_xlim(0, unit * most * 1.02)
    return figure


def prices_panel(prices: Sequence[TensorPrice], *, unit_bytes: float, dropped: Collection[str] = ()) -> Panel:
    """Draw each tensor's bytes as a bar, with the operations that a freed byte costs.

    Args:
        prices: of a layer's tensors.
        unit_bytes: one unit of the bars.
        dropped: names of those to be drawn hollow.

    Returns:
        The panel.
    """
    unit = positive_number("unit_bytes", unit_bytes)
    left, row, width = 238.0, 21.0, 690.0
    most = max(price.bytes for price in prices)
    scale = 250 / most
    panel = Panel(width, 34 + row * len(prices) + 6)
    panel.text(0, 14, "tensor", bold=True)
    panel.text(left, 14, "bytes, in sbh", bold=True)
    panel.text(width, 14, "operations a byte to make it again", bold=True, anchor="end")
    for number, price in enumerate(prices):
        y = 28 + row * number
        gone = price.name in dropped
        panel.text(0, y + row / 2, price.name, middle=True)
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
        panel.text(width, y + row / 2, cost, middle=True, anchor="end", bold=price.flops == 0)
    return panel
