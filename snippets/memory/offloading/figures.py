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


def hiding_figure(
    lanes: Mapping[str, float], *, backward_s_per_token: float, sequence: int, width_px: float = 690
) -> Figure:
    """Draw a layer's backward pass against the tokens, and lanes that take as long for any number of them.

    Args:
        lanes: name → seconds for a layer.
        backward_s_per_token: seconds of a layer's backward pass for each token.
        sequence: tokens, marked below.
        width_px: of the figure.

    Returns:
        The figure; a dot where a lane is hidden from, with the tokens.
    """
    wide = width_px >= 500
    most = 1.35 * max(lanes.values()) / backward_s_per_token
    with plot(width_px=width_px, height_px=270 if wide else 290) as (figure, axes):
        axes.plot([0, most / 1e3], [0, most * backward_s_per_token * 1e3], color="C0")
        axes.text(
            0.97 * most / 1e3, most * backward_s_per_token * 1e3, "backward pass", ha="right", va="top", fontsize=12
        )
        for (name, seconds), hue in zip(lanes.items(), ("C1", "C2", "C3"), strict=False):
            tokens = seconds / backward_s_per_token
            axes.axhline(seconds * 1e3, color=hue)
            early = tokens < 0.5 * most  # its label stands where the rising line is not
            place, side = (0.98 * most / 1e3, "right") if early else (0.2, "left")
            axes.text(place, seconds * 1e3 + 0.8, name, ha=side, va="bottom", fontsize=12)
            axes.plot([tokens / 1e3], [seconds * 1e3], "o", color="#1d2026", markersize=6)
            axes.annotate(
                f"{tokens:,.0f} tokens",
                (tokens / 1e3, seconds * 1e3),
                xytext=(6, -15),
                textcoords="offset points",
                fontsize=12,
            )
        axes.axvline(sequence / 1e3, color="#5a616b", linewidth=0.8, linestyle="--")
        axes.text(sequence / 1e3 + 0.2, 1, "one sequence", fontsize=12, color="#5a616b")
        axes.set_xlim(0, most / 1e3)
        axes.set_ylim(0, most * backward_s_per_token * 1e3)
        axes.set_xlabel("thousand tokens of a micro-batch")
        axes.set_ylabel("ms for a layer")
    return figure


def micro_batches_figure(
    waits: Mapping[str, float],
    *,
    passes_s: float,
    wanted: float = 0.9,
    most: int = 24,
    width_px: float = 690,
) -> Figure:
    """Draw the share of a step in which the device computes, against the micro-batches, one curve for each wait.

    Args:
        waits: name → seconds that a step waits once, the longest last.
        passes_s: seconds of one micro-batch's forward and backward passes.
        wanted: the share at the dashed line.
        most: micro-batches at the right end.
        width_px: of the figure.

    Returns:
        The figure; a dot at the first number of micro-batches that reaches the wanted share.
    """
    wide = width_px >= 500
    with plot(width_px=width_px, height_px=290 if wide else 320) as (figure, axes):
        looks = (("C1", "-"), ("C2", "--"), ("C2", "-"))  # hues of link and host as in hiding_figure
        for number, ((name, wait), (hue, line)) in enumerate(zip(waits.items(), looks, strict=False)):
            counts = range(1, most + 1)
            shares = [count * passes_s / (count * passes_s + wait) for count in counts]
            first = next(count for count, share in zip(counts, shares, strict=True) if share >= wanted)
            axes.plot([*counts], [100 * share for share in shares], color=hue, linestyle=line)
            axes.plot([first], [100 * shares[first - 1]], "o", color="#1d2026", markersize=6)
            axes.annotate(
                f"{first}",
                (first, 100 * shares[first - 1]),
                xytext=(3, -16),
                textcoords="offset points",
                fontsize=12,
                fontweight="bold",
            )
            row = 62 - 10 * number
            axes.plot([10.2, 11.4], [row, row], color=hue, linestyle=line)
            axes.text(11.8, row, name, va="center", fontsize=12)
        axes.axhline(100 * wanted, color="#5a616b", linewidth=0.8, linestyle="--")
        axes.set_xlim(0.5, most)
        axes.set_ylim(30, 101)
        axes.set_xlabel("micro-batches of a step")
        axes.set_ylabel("computing, %")
    return figure
