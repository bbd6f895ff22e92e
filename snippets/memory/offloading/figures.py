"""Figures: offloading: ZeRO-Infinity's efficiency against the bandwidth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from snippets.figures import plot
from snippets.memory.offloading.formulas import offload_efficiency


def efficiency_figure(
    curves: Mapping[str, float],
    marks: Sequence[tuple[float, float, str]],
    *,
    flops_per_s: float,
    width_px: float = 690,
) -> Figure:
    """Draw ZeRO-Infinity's efficiency against the bandwidth, one curve for each intensity, with marked points.

    Args:
        curves: name → operations a byte.
        marks: bandwidth in bytes a second, efficiency, label.
        flops_per_s: speed of the device.
        width_px: of the figure; below 500 the curves are named below it.

    Returns:
        The figure; the bandwidth's axis is logarithmic.
    """
    wide = width_px >= 500
    exponents = [8 + number / 20 for number in range(101)]
    hues = ("C4", "C1", "C2", "C3", "C5")
    with plot(width_px=width_px, height_px=290 if wide else 350) as (figure, axes):
        for (name, intensity), hue in zip(curves.items(), hues, strict=False):
            shares = [
                offload_efficiency(
                    intensity_flops_per_byte=intensity, bandwidth_bytes_per_s=10**exponent, flops_per_s=flops_per_s
                )
                for exponent in exponents
            ]
            axes.plot([10**exponent / 1e9 for exponent in exponents], shares, color=hue, label=name)
            above = len(axes.lines) % 2 == 1  # left of every second curve, right of the others
            tall = 0.78 if above else 0.27
            place = tall / (1 - tall) * flops_per_s / intensity / 1e9 * (0.85 if above else 1.2)
            if wide:
                axes.text(place, tall, name, ha="right" if above else "left", va="center", fontsize=12)
        axes.axhline(0.5, color="#5a616b", linewidth=0.8, linestyle="--")
        for bandwidth, share, label in marks:
            axes.plot([bandwidth / 1e9], [share], "o", color="#1d2026", markersize=6)
            left = share < 0.55  # where another curve is near on the right
            offset, side = ((-8, 6), "right") if left else ((8, -12), "left")
            if not wide and not left:  # below the labels on the left of the next curve
                offset = (6, -36)
            axes.annotate(
                label, (bandwidth / 1e9, share), xytext=offset, textcoords="offset points", fontsize=12, ha=side
            )
        axes.set_xscale("log")
        axes.set_xlim(0.1, 1e4)
        axes.set_ylim(0, 1.02)
        ticks = {0.1: "0.1", 1: "1", 10: "10", 100: "100", 1000: "1,000"} | ({10000: "10,000"} if wide else {})
        axes.set_xticks([*ticks], [*ticks.values()])
        if not wide:
            figure.legend(loc="outside lower center", ncols=1, fontsize=12, frameon=False)
        axes.set_xlabel("bandwidth, GB/s")
        axes.set_ylabel("efficiency")
    return figure
