"""Figures: two clocks of a matmul, the roofline with what stands under it, tiles, and a cut along k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from snippets.background.linear_algebra.formulas import gemm_flops
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.foundations.roofline.formulas import ceiling_times_s, roofline_flops_per_s, tiled_gemm_words
from snippets.live.axes import Axis
from snippets.live.knobs import in_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 470
TEXT_PX = 15.5  # on a phone, where a picture is as wide as the screen, still 12
_LEFT, _RIGHT = 86.0, 80.0


def clocks_panel(
    tokens: Sequence[int],
    *,
    k: int,
    n: int,
    peak_flops_per_s: float,
    bandwidth_bytes_per_s: float,
    element_bytes: int = 2,
) -> Panel:
    """Draw for several numbers of tokens how long the FLOPs and the bytes of a matmul with k × n weights take.

    Args:
        tokens: m, one for each pair of bars.
        k: features in.
        n: features out.
        peak_flops_per_s: FLOPs in a second.
        bandwidth_bytes_per_s: bytes in a second.
        element_bytes: bytes of an element.

    Returns:
        The picture: two bars for each number of tokens on one axis of time. The bar of the memory has a part for the
        weights, which ends at the same place in all pairs, and one for the activations.
    """
    second = element_bytes / bandwidth_bytes_per_s
    weights = k * n * second
    times = {m: (gemm_flops(m=m, k=k, n=n) / peak_flops_per_s, m * (k + n) * second) for m in tokens}
    longest = max(max(compute, weights + rest) for compute, rest in times.values())
    scale = (WIDTH - _LEFT - _RIGHT) / longest
    panel = Panel(WIDTH, 88 * len(tokens) + 62)
    top, bottom = 24.0, 88.0 * len(tokens) + 26
    mark = _LEFT + weights * scale
    panel.text(mark, 14, f"weights {_short(weights)}", size=TEXT_PX, anchor="middle", colour="parameters")
    for place, (m, (compute, rest)) in enumerate(times.items()):
        y = 88.0 * place + top
        moved = weights + rest
        panel.text(0, y + 14, f"{m:,} token{'s' * (m > 1)}", size=TEXT_PX, bold=True)
        for name, row, length in (("compute", 22, compute), ("memory", 52, moved)):
            panel.text(_LEFT - 8, y + row + 12, name, anchor="end", middle=True, size=TEXT_PX)
            end = _LEFT + max(length * scale, 1.5)
            longer = length == max(compute, moved)
            panel.text(end + 7, y + row + 12, _short(length), middle=True, size=TEXT_PX, bold=longer)
        panel.rectangle(_LEFT, y + 22, max(compute * scale, 1.5), 24, colour="forward")
        panel.rectangle(_LEFT, y + 52, weights * scale, 24, colour="parameters")
        panel.rectangle(mark, y + 52, max(rest * scale, 0.5), 24, colour="activations")
    panel.line(mark, 20, mark, bottom, colour="parameters", dashed=True)
    panel.line(_LEFT, bottom, WIDTH - _RIGHT, bottom)
    for tick in Axis(0, longest).marks(5):
        x = _LEFT + tick * scale
        panel.line(x, bottom, x, bottom + 4)
        label = in_units(tick, "s") if tick else "0"
        panel.text(x, bottom + 21, label, anchor="middle", colour="muted", size=TEXT_PX)
    return panel


def roofline_plot(
    points: Mapping[str, tuple[float, float]],
    *,
    measured: Mapping[str, tuple[float, float]],
    peak_flops_per_s: float,
    bandwidth_bytes_per_s: float,
    across: tuple[float, float],
) -> Figure:
    """Plot a peak, the slope of a memory, operations at their intensity and best rate, and what a profile measured.

    Args:
        points: by its name an operation's FLOP a byte and FLOP a second, on the roof.
        measured: the same of what was measured, below the roof, as hollow dots.
        peak_flops_per_s: the flat ceiling.
        bandwidth_bytes_per_s: the memory's.
        across: lowest and highest intensity.

    Returns:
        The plot, both axes logarithmic, with the ridge point marked.
    """
    unit = 1e12
    low = min(rate for _, rate in points.values()) / unit / 2.5
    peak, ridge = peak_flops_per_s / unit, peak_flops_per_s / bandwidth_bytes_per_s
    with _plot(370) as (figure, axes):
        _log_axes(axes, across, (low, peak * 3.2))
        corners = (across[0], ridge, across[1])
        rates = [
            roofline_flops_per_s(
                flops_per_byte=x, peak_flops_per_s=peak_flops_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s
            )
            / unit
            for x in corners
        ]
        axes.plot(corners, rates, color=colour("accent"), linewidth=2.5)
        axes.plot([ridge], [peak], "D", color=colour("accent"), markersize=7)
        _note(axes, f"ridge point {ridge:,.0f}", (ridge, peak), (0, 9), "center", "bottom", hue="accent")
        for name, (intensity, rate) in points.items():
            axes.plot([intensity], [rate / unit], "o", color=colour("ink"), markersize=7)
            place = (intensity, rate / unit)
            if intensity > ridge:
                _note(axes, name, place, (0, -9), "center", "top")
            elif rate / unit < 3 * low:  # there is no room to the left
                _note(axes, name, place, (10, -3), "left", "center")
            else:
                _note(axes, name, place, (-9, 3), "right", "bottom")
        for name, (intensity, rate) in measured.items():
            axes.plot(
                [intensity], [rate / unit], "o", color=colour("communication"), markersize=8, markerfacecolor="none",
                markeredgewidth=2,
            )  # fmt: skip
            _note(axes, name, (intensity, rate / unit), (10, -6), "left", "top", hue="communication")
        axes.set_xlabel("FLOP for each byte of memory")
        axes.set_ylabel("TFLOP/s")
    return figure


def cut_panel() -> Panel:
    """Draw a 2 × 4 matrix times a 4 × 2 matrix, cut along k between two GPUs: two full results, and their sum."""
    side, top = 27.0, 60.0
    panel = Panel(WIDTH, 226)

    def block(x: float, y: float, columns: int, rows: int, hue: str) -> None:
        for i in range(rows):
            for j in range(columns):
                panel.rectangle(x + j * side, y + i * side, side, side, colour=hue, strength=0.45)

    left = (4.0, 4 + 2 * side)
    for gpu, x in enumerate(left):
        block(x, top + side, 2, 2, f"rank-{gpu}")
    panel.text(4 + 2 * side, top + side - 8, "X", anchor="middle", size=TEXT_PX, bold=True)
    panel.text(4 * side + 18, top + 2 * side, "·", anchor="middle", middle=True, size=20)
    at_w = 4 * side + 32
    for gpu in range(2):
        block(at_w, top + 2 * side * gpu, 2, 2, f"rank-{gpu}")
    panel.text(at_w + side, top - 8, "W", anchor="middle", size=TEXT_PX, bold=True)
    panel.text(at_w + 2 * side + 18, top + 2 * side, "=", anchor="middle", middle=True, size=20)
    at = at_w + 2 * side + 36
    for gpu in range(2):
        x = at + gpu * (2 * side + 28)
        block(x, top + side, 2, 2, f"rank-{gpu}")
        panel.text(x + side, top + side - 8, f"GPU {gpu}", anchor="middle", size=TEXT_PX)
    panel.text(at + 2 * side + 14, top + 2 * side, "+", anchor="middle", middle=True, size=20)
    panel.text(at + 4 * side + 28 + 15, top + 2 * side, "=", anchor="middle", middle=True, size=20)
    last = at + 4 * side + 28 + 30
    for i in range(2):
        for j in range(2):
            panel.rectangle(last + j * side, top + (1 + i) * side, side, side, colour="ink", strength=0.12)
    panel.text(last + side, top + side - 8, "Y", anchor="middle", size=TEXT_PX, bold=True)
    panel.text(at + 2 * side + 14, top + 3 * side + 24, "each as large as Y", anchor="middle", size=TEXT_PX)
    panel.text(4 + 2 * side, top + 3 * side + 24, "k is cut", anchor="middle", size=TEXT_PX)
    panel.text(0, 16, "GPU 0 and GPU 1 share k: half of X, half of W each", size=TEXT_PX, bold=True)
    panel.text(0, 216, "the all-reduce adds the two, and both GPUs get Y", size=TEXT_PX, colour="communication")
    return panel


def shared_plot(
    *,
    m: int,
    k: int,
    n: int,
    peak_flops_per_s: float,
    memory_bytes_per_s: float,
    network_bytes_per_s: float,
    ranks: Sequence[int],
    marked: Sequence[int],
    element_bytes: int = 2,
) -> Figure:
    """Plot what a matmul takes if some GPUs share its k and add by a ring: with perfect overlap, and with none.

    Args:
        m: tokens.
        k: the shared dimension.
        n: features out.
        peak_flops_per_s: of one GPU.
        memory_bytes_per_s: of its memory.
        network_bytes_per_s: of its link, in one direction.
        ranks: how many GPUs share it, each a place across.
        marked: those at which both times are written.
        element_bytes: bytes of an element.

    Returns:
        The plot: time upwards, a band between the longest of the times and the sum of computing and sending.
    """
    times = {}
    for R in ranks:
        clocks = ceiling_times_s(
            flops=gemm_flops(m=m, k=k, n=n) / R,
            memory_bytes=element_bytes * (m * k / R + k * n / R + m * n),
            sent_bytes=2 * (R - 1) / R * m * n * element_bytes,
            peak_flops_per_s=peak_flops_per_s,
            memory_bytes_per_s=memory_bytes_per_s,
            network_bytes_per_s=network_bytes_per_s,
        )
        times[R] = {name: 1e6 * time_s for name, time_s in clocks.items()}
    least = {R: max(clocks.values()) for R, clocks in times.items()}
    most = {R: clocks["compute"] + clocks["network"] for R, clocks in times.items()}
    with _plot(370) as (figure, axes):
        across = list(times)
        band = [least[R] for R in across], [most[R] for R in across]
        axes.fill_between(across, *band, color=colour("accent"), alpha=0.16)
        axes.plot(across, [most[R] for R in across], "o:", color=colour("accent"), markersize=5)
        axes.plot(across, [least[R] for R in across], "o", color=colour("accent"), markersize=7, zorder=3)
        axes.plot(across, [times[R]["compute"] for R in across], color=colour("forward"), linewidth=2.5)
        axes.plot(across, [times[R]["network"] for R in across], color=colour("communication"), linewidth=2.5)
        for R in marked:
            _note(axes, f"{most[R]:.0f}", (R, most[R]), (3, 7), "left", "bottom", hue="accent")
            aside = marked[0] == R  # the line to it is steep
            place, side = ((6, 4), "left") if aside else ((0, 8), "center")
            _note(axes, f"{least[R]:.0f}", (R, least[R]), place, side, "bottom", hue="accent")
        last = across[-1]
        _note(axes, "dotted: compute, then send", (last, max(most.values())), (0, -20), "right", "top", hue="accent")
        _note(axes, "dots: perfect overlap", (last, max(most.values())), (0, 0), "right", "top", hue="accent")
        _note(axes, "sending", (last, times[last]["network"]), (0, -6), "right", "top", hue="communication")
        _note(axes, "computing", (last, times[last]["compute"]), (0, 8), "right", "bottom", hue="forward")
        axes.set_ylim(0, max(most.values()) * 1.06)
        axes.xaxis.set_major_locator(FixedLocator(across))
        axes.set_xlabel("GPUs that share k")
        axes.set_ylabel("µs")
    return figure


def tile_panels(tiles: Sequence[tuple[int, int]], *, m: int, n: int, k: int) -> list[Panel]:
    """Draw Y cut into tiles, one tile with its strips of X and W, and the elements that all tiles read and write.

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
        panel.text(0, 13, f"tiles of {rows} × {columns}: {passed:,} elements pass", bold=True)
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


@contextmanager
def _plot(height_px: float) -> Iterator[tuple[Figure, Axes]]:
    """Open a plot as wide as the chapter's pictures, its texts as large as theirs."""
    with plot(width_px=WIDTH, height_px=height_px) as (figure, axes):
        axes.tick_params(labelsize=TEXT_PX)
        axes.xaxis.label.set_fontsize(TEXT_PX)
        axes.yaxis.label.set_fontsize(TEXT_PX)
        yield figure, axes


def _short(seconds: float) -> str:
    """Write a time in microseconds with two digits, or whole from 10 on."""
    micro = seconds * 1e6
    return f"{micro:.1f} µs" if micro < 1 else f"{micro:.0f} µs"


def _note(
    axes: Axes,
    words: str,
    place: tuple[float, float],
    offset: tuple[float, float],
    ha: str,
    va: str,
    *,
    hue: str = "ink",
) -> None:
    """Write words beside a place of a plot."""
    axes.annotate(words, place, xytext=offset, textcoords="offset points", ha=ha, va=va, color=colour(hue),
                  fontsize=TEXT_PX)  # fmt: skip


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
