"""Figures: what collectives cost against size, with the lower envelope named; cost tables; published bandwidths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from snippets.collectives.algorithms import ALGORITHMS, spoken
from snippets.collectives.alpha_beta_figures import byte_axis
from snippets.collectives.costs import CLOSED_FORMS, compare_algorithms
from snippets.collectives.published_runs import PublishedRun
from snippets.domain import one_of
from snippets.figures import colour, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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


def short_time(value: float) -> str:
    """Return seconds as text, with the unit that keeps them short.

    Args:
        value: seconds.

    >>> short_time(1e-5), short_time(0.01), short_time(1)
    ('10 µs', '10 ms', '1 s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms")):
        if value >= unit * (1 - 1e-9):
            return f"{value / unit:.3g} {name}"
    return f"{value * 1e6:.3g} µs"


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


class Curves:
    """Times of all-reduces against size: one curve for each algorithm, and the floor.

    Args:
        ranks: number of ranks.
        sizes_bytes: sizes of the vector.
        algorithms: which algorithms of the all-reduce.
        latency_s: α.
        bandwidth_bytes_per_s: β.

    Attributes:
        times_s: by algorithm, the time at every size.
        floor_s: the time of the lower bound at every size.
        fastest: the algorithm that is fastest at every size.
    """

    def __init__(
        self,
        *,
        ranks: int,
        sizes_bytes: Sequence[int],
        algorithms: Sequence[str],
        latency_s: float,
        bandwidth_bytes_per_s: float,
    ) -> None:
        self.ranks, self.sizes_bytes, self.algorithms = ranks, tuple(sizes_bytes), tuple(algorithms)
        self.times_s: dict[str, list[float]] = {name: [] for name in algorithms}
        self.floor_s: list[float] = []
        self.fastest: list[str] = []
        for size in sizes_bytes:
            choices = compare_algorithms(
                "all_reduce",
                ranks=ranks,
                length=size,
                latency_s=latency_s,
                bandwidth_bytes_per_s=bandwidth_bytes_per_s,
                algorithms=algorithms,
            )
            for choice in choices:
                self.times_s[choice.algorithm].append(choice.time_s)
            self.floor_s.append(choices[0].bound_s)
            self.fastest.append(choices[0].algorithm)

    def plot(
        self,
        labels: Sequence[tuple[str, str, int, float, float]],
        *,
        over_floor: bool = False,
        width_px: float = 328,
        height_px: float = 300,
    ) -> Figure:
        """Plot the curves thin, the lowest of them thick, and the floor dashed.

        Args:
            labels: an algorithm, what is written at its curve, at which of the sizes (an index), and how many pixels
                to the right and above. The text has the envelope's colour where the algorithm is the fastest.
            over_floor: divide every time by the floor's.
            width_px: width of the plot.
            height_px: height of the plot.
        """
        unit = np.array(self.floor_s) if over_floor else np.ones(len(self.sizes_bytes))
        with plot(width_px=width_px, height_px=height_px) as (figure, axes):
            byte_axis(axes, self.sizes_bytes)
            axes.set_yscale("log")
            for name in self.algorithms:
                curve = np.array(self.times_s[name]) / unit
                axes.plot(self.sizes_bytes, curve, color=colour("muted"), linewidth=1.1)
            lowest = np.min([self.times_s[name] for name in self.algorithms], axis=0) / unit
            axes.plot(self.sizes_bytes, lowest, color=colour("accent"), linewidth=3.5)
            axes.plot(self.sizes_bytes, np.array(self.floor_s) / unit, "--", color=colour("ink"), linewidth=1.3)
            axes.yaxis.set_major_locator(LogLocator(base=10, numticks=8))
            write = "{:g}".format if over_floor else short_time
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))
            axes.yaxis.set_minor_locator(NullLocator())
            low, high = axes.get_ylim()
            axes.set_ylim(low / 1.7, high)
            axes.set_xlabel("size of the vector")
            axes.set_ylabel("times the floor" if over_floor else "time")
            for name, text, at, right, up in labels:
                height = self.times_s[name][at] / float(unit[at])
                self._label(axes, text, (self.sizes_bytes[at], height), (right, up), fastest=self.fastest[at] == name)
        return figure

    def _label(
        self, axes: Axes, text: str, place: tuple[float, float], offset: tuple[float, float], *, fastest: bool
    ) -> None:
        tone = colour("accent" if fastest else "muted")
        axes.annotate(text, place, textcoords="offset points", xytext=offset, ha="center", color=tone)


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
