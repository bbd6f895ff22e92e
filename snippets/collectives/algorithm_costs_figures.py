"""Figures: tables of what collectives cost, and published bandwidths beside predicted ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from snippets.collectives.algorithm_costs import CLOSED_FORMS
from snippets.collectives.algorithms import ALGORITHMS, spoken
from snippets.domain import one_of
from snippets.figures import colour, plot
from snippets.foundations.alpha_beta_figures import byte_axis
from snippets.foundations.published_runs import PublishedRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOG, _SHARE = r"\lceil \log_2 N \rceil", r"\frac{N-1}{N} n"
_FLOORS = {
    "broadcast": (_LOG, "n", "0"),
    "reduce": (_LOG, "n", _SHARE),
    "scatter": (_LOG, _SHARE, "0"),
    "gather": (_LOG, _SHARE, "0"),
    "all_gather": (_LOG, _SHARE, "0"),
    "reduce_scatter": (_LOG, _SHARE, _SHARE),
    "all_reduce": (_LOG, rf"2 {_SHARE}", _SHARE),
    "all_to_all": (_LOG, _SHARE, "0"),
    "barrier": (_LOG, "0", "0"),
}


def cost_table(primitives: Sequence[str]) -> str:
    """Return a Markdown table of the closed forms of all algorithms of some primitives, each with its floor.

    Args:
        primitives: names of ``PRIMITIVES``.

    Returns:
        Markdown with TeX: a row for the floor of each primitive, then one for each of its algorithms. Algorithms of
        which the form holds for powers of two alone carry a star.
    """
    rows = ["| | steps $S$ | bytes $B$ | added $R$ |", "|---|---|---|---|"]
    for primitive in primitives:
        one_of("primitives", primitive, tuple(_FLOORS))
        floor = " | ".join(f"${term}$" for term in _FLOORS[primitive])
        rows.append(f"| **{primitive.replace('_', '-')}**, no less than | {floor} |")
        for algorithm in ALGORITHMS[primitive]:
            form = CLOSED_FORMS[primitive, algorithm]
            star = " *" if form.ranks == "a power of two" else ""
            terms = " | ".join(f"${term}$" for term in (form.steps, form.wire, form.reduced))
            rows.append(f"| {spoken(algorithm)}{star} | {terms} |")
    return "\n".join(rows)


def bus_bandwidth_plot(
    run: PublishedRun,
    lines: Mapping[str, tuple[Sequence[int], Sequence[float]]],
    *,
    link_bytes_per_s: float,
    width_px: float = 340,
    height_px: float = 290,
) -> Figure:
    """Plot published bus bandwidths with predicted ones, and the bandwidth of a link.

    Args:
        run: what was published.
        lines: by name, sizes and predicted bus bandwidths.
        link_bytes_per_s: bandwidth of one rank's port in one direction.
        width_px: width of the plot.
        height_px: height of the plot.

    Returns:
        The plot.
    """
    with plot(width_px=width_px, height_px=height_px) as (figure, axes):
        byte_axis(axes, run.sizes_bytes)
        axes.set_ylim(0, 560)
        axes.axhline(link_bytes_per_s / 1e9, color=colour("ink"), linestyle="--", linewidth=1.3)
        axes.text(run.sizes_bytes[0], link_bytes_per_s / 1e9 + 10, "link, one direction", color=colour("ink"))
        styles = (("communication", (-10.0, 8.0)), ("accent", (-4.0, -18.0)))
        for (name, (sizes, predicted)), (tone, offset) in zip(lines.items(), styles, strict=False):
            shown = np.array(predicted) / 1e9
            axes.plot(sizes, shown, color=colour(tone))
            place = (sizes[-1], shown[-1])
            axes.annotate(name, place, textcoords="offset points", xytext=offset, ha="right", color=colour(tone))
        axes.plot(
            run.sizes_bytes, np.array(run.bus_bandwidths_bytes_per_s) / 1e9, "o", color=colour("ink"), markersize=4
        )
        axes.set_xlabel("size of the vector")
        axes.set_ylabel("bus bandwidth, GB/s")
    return figure
