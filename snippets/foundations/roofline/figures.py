"""Figures: two clocks of a product, the roofline with what stands under it, tiles, and what one core reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from snippets.background.linear_algebra.formulas import gemm_flops
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.foundations.roofline.cpu_roofline import CpuRun
from snippets.foundations.roofline.formulas import roofline_flops_per_s, tiled_gemm_words
from snippets.live.axes import Axis
from snippets.live.knobs import in_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 340
_LEFT, _RIGHT = 76.0, 20.0


def clocks_panel(
    rows: Sequence[int],
    *,
    k: int,
    n: int,
    peak_flops_per_s: float,
    bandwidth_bytes_per_s: float,
    element_bytes: int = 2,
) -> Panel:
    """Draw for several batches how long the operations and the bytes of a product with k × n weights take.

    Args:
        rows: the batches.
        k: features in.
        n: features out.
        peak_flops_per_s: operations in a second.
        bandwidth_bytes_per_s: bytes in a second.
        element_bytes: bytes of a number.

    Returns:
        The picture: two bars for each batch on one axis of time. The bar of the bytes has a part for the weights and
        one for the activations.
    """
    second = element_bytes / bandwidth_bytes_per_s
    times = {m: (gemm_flops(m=m, k=k, n=n) / peak_flops_per_s, k * n * second, m * (k + n) * second) for m in rows}
    longest = max(max(compute, weights + rest) for compute, weights, rest in times.values())
    scale = (WIDTH - _LEFT - _RIGHT) / longest
    panel = Panel(WIDTH, 86 * len(rows) + 34)
    for place, (m, (compute, weights, rest)) in enumerate(times.items()):
        y = 86.0 * place + 14
        moved = weights + rest
        said = f"m = {m:,}: operations {in_units(compute, 's')}, bytes {in_units(moved, 's')}"
        panel.text(0, y, said, bold=True)
        panel.text(_LEFT - 8, y + 20, "operations", anchor="end", middle=True, size=12)
        panel.rectangle(_LEFT, y + 9, max(compute * scale, 1.5), 22, colour="forward")
        panel.text(_LEFT - 8, y + 49, "bytes", anchor="end", middle=True, size=12)
        panel.rectangle(_LEFT, y + 38, weights * scale, 22, colour="parameters", label="weights")
        panel.rectangle(_LEFT + weights * scale, y + 38, max(rest * scale, 0.5), 22, colour="activations")
    bottom = 86.0 * len(rows) + 6
    panel.line(_LEFT, bottom, WIDTH - _RIGHT, bottom)
    for tick in Axis(0, longest).marks(5):
        x = _LEFT + tick * scale
        panel.line(x, bottom, x, bottom + 4)
        panel.text(x, bottom + 18, in_units(tick, "s") if tick else "0", anchor="middle", colour="muted", size=12)
    return panel


def roofline_plot(
    points: Mapping[str, tuple[float, float]],
    roofs: Mapping[str, float],
    *,
    peak_flops_per_s: float,
    across: tuple[float, float],
    label: str,
    above: Sequence[str] = (),
    height_px: float = 300,
) -> Figure:
    """Plot the peak, slopes of one bandwidth each, and operations at their intensity and rate; both axes logarithmic.

    Args:
        points: by its name an operation's FLOP a byte and FLOP a second.
        roofs: by its name a bandwidth in bytes a second.
        peak_flops_per_s: the flat ceiling.
        across: lowest and highest intensity.
        label: what is written below the horizontal axis.
        above: the points whose names stand to the left above them; the others' stand to the right below.
        height_px: height of the plot.

    Returns:
        The plot.
    """
    unit = 1e12
    low = min(rate for _, rate in points.values()) / unit / 3
    with plot(width_px=WIDTH, height_px=height_px) as (figure, axes):
        _log_axes(axes, across, (low, peak_flops_per_s / unit * 4))
        styles = (("accent", "-"), ("communication", "--"))
        for bandwidth, (hue, dashes) in zip(roofs.values(), styles, strict=False):
            corners = (across[0], peak_flops_per_s / bandwidth, across[1])
            rates = [
                roofline_flops_per_s(
                    flops_per_byte=x, peak_flops_per_s=peak_flops_per_s, bandwidth_bytes_per_s=bandwidth
                )
                / unit
                for x in corners
            ]
            axes.plot(corners, rates, dashes, color=colour(hue))
            ridge = corners[1]
            axes.plot([ridge, ridge], [low, peak_flops_per_s / unit], ":", color=colour(hue), linewidth=1.2)
            axes.annotate(
                f"{ridge:,.0f}" if ridge >= 100 else f"{ridge:.1f}",
                (ridge, peak_flops_per_s / unit),
                xytext=(0, 20 if any(0.8 < points[name][0] / ridge < 1.25 for name in above) else 6),
                textcoords="offset points",
                color=colour(hue),
                ha="center",
            )
        for name, (intensity, rate) in points.items():
            axes.plot([intensity], [rate / unit], "o", color=colour("ink"), markersize=5)
            upper = name in above
            axes.annotate(
                name,
                (intensity, rate / unit),
                xytext=(-6, 5) if upper else (7, -4),
                textcoords="offset points",
                ha="right" if upper else "left",
                va="bottom" if upper else "top",
                fontsize=11.5,
            )
        axes.set_xlabel(label)
        axes.set_ylabel("TFLOP/s")
    return figure


def measured_plot(run: CpuRun) -> Figure:
    """Plot what one core reached in each operation, under the two ceilings that the same run gives.

    Args:
        run: the timed operations.

    Returns:
        The plot, both axes logarithmic: squares are element-wise, dots square products, triangles products with a
        layer's weights; the latter with their rows.
    """
    peak, bandwidth = run.peak_flops_per_s, run.bandwidth_bytes_per_s
    across = (0.05, 700.0)
    with plot(width_px=WIDTH, height_px=300) as (figure, axes):
        _log_axes(axes, across, (0.2, peak / 1e9 * 2.5))
        corners = (across[0], peak / bandwidth, across[1])
        axes.plot(
            corners,
            [
                roofline_flops_per_s(flops_per_byte=x, peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth) / 1e9
                for x in corners
            ],
            color=colour("accent"),
        )
        signs = {
            "element-wise": ("s", "activations", "a + b, a · b"),
            "square": ("o", "ink", "square products"),
            "layer": ("^", "communication", "rows × 4096 × 4096"),
        }
        for kind, (sign, hue, label) in signs.items():
            timed = [entry for entry in run.operations if entry.kind == kind]
            axes.plot(
                [entry.flops_per_byte for entry in timed],
                [entry.flops_per_s / 1e9 for entry in timed],
                sign + (":" if kind == "layer" else ""),
                color=colour(hue),
                markersize=6,
                linewidth=1,
                label=label,
            )
        before = 0.0
        for entry in run.operations:
            if entry.kind == "layer":
                falls = entry.flops_per_s < before
                before = entry.flops_per_s
                axes.annotate(
                    f"{int(entry.name.split(' × ')[0]):,}",
                    (entry.flops_per_byte, entry.flops_per_s / 1e9),
                    xytext=(0, 7) if falls else (5, -5),
                    textcoords="offset points",
                    ha="center" if falls else "left",
                    va="bottom" if falls else "top",
                    color=colour("communication"),
                )
        axes.legend(loc="lower right", fontsize=11)
        axes.set_xlabel("FLOP per byte")
        axes.set_ylabel("GFLOP/s")
    return figure


def tile_panels(tiles: Sequence[tuple[int, int]], *, m: int, n: int, k: int) -> list[Panel]:
    """Draw Y cut into tiles, one tile with its strips of X and W, and the numbers that all tiles read and write.

    Args:
        tiles: rows and columns of a tile, for each picture.
        m: rows of Y.
        n: columns of Y.
        k: the shared dimension.

    Returns:
        A picture for each tile.
    """
    side, gap = 17.0, 12.0
    panels = []
    for rows, columns in tiles:
        passed = tiled_gemm_words(m=m, k=k, n=n, tile_rows=rows, tile_columns=columns)
        left, top = k * side + gap, k * side + gap + 22
        panel = Panel(max(left + n * side + 4, 330), top + m * side + 34)
        panel.text(0, 13, f"tiles of {rows} × {columns}: {passed:,} numbers pass", bold=True)
        panel.rectangle(0, top, k * side, m * side, colour="line", strength=0.2)
        panel.rectangle(left, 22, n * side, k * side, colour="line", strength=0.2)
        for i in range(0, m, rows):
            for j in range(0, n, columns):
                panel.rectangle(
                    left + j * side,
                    top + i * side,
                    min(columns, n - j) * side,
                    min(rows, m - i) * side,
                    colour="forward",
                    strength=0.9 if i == j == 0 else 0.08,
                )
        panel.rectangle(0, top, k * side, rows * side, colour="activations", strength=0.45)
        panel.rectangle(left, 22, columns * side, k * side, colour="parameters", strength=0.45)
        panel.text(k * side / 2, top + m * side + 20, f"X, {m} × {k}", anchor="middle")
        panel.text(left + n * side + 8, 22 + k * side / 2, f"W, {k} × {n}", middle=True)
        panel.text(left + n * side / 2, top + m * side + 20, f"Y, {m} × {n}", anchor="middle")
        panels.append(panel)
    return panels


def _log_axes(axes: Axes, across: tuple[float, float], up: tuple[float, float]) -> None:
    """Give both axes logarithmic scales with ticks at powers of ten, written without exponents."""
    for axis, (low, high) in ((axes.xaxis, across), (axes.yaxis, up)):
        ticks = [10.0**power for power in range(-3, 7) if low <= 10.0**power <= high]
        name = "x" if axis is axes.xaxis else "y"
        getattr(axes, f"set_{name}scale")("log")
        getattr(axes, f"set_{name}lim")(low, high)
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
