"""Figures: what collectives cost and why, drawn from their schedules; published bandwidths beside predicted ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from snippets.collectives.algorithm_costs import (
    CLOSED_FORMS,
)
from snippets.collectives.costs_and_bounds.bus_bandwidth import bandwidth_bound_s
from snippets.collectives.costs_and_bounds.published_runs import PublishedRun
from snippets.collectives.figures import LETTERS
from snippets.domain import integer_at_least, one_of
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.foundations.alpha_beta.figures import byte_axis
from snippets.live.axes import Axis
from snippets.live.knobs import in_units
from snippets.palette import rank as rank_colour
from snippets.simulation.algorithms import ALGORITHMS, build_collective, spoken
from snippets.simulation.checker import contributions
from snippets.simulation.holdings import holdings
from snippets.simulation.schedule import ScheduledSend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOG, _SHARE = r"\lceil \log_2 R \rceil", r"\frac{R-1}{R} n"
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


_NARROW = 336.0  # a phone's, and half of the page's


def hears_from(ranks: int, *, rank: int = 0) -> list[list[ScheduledSend]]:
    """Return, for each round of recursive doubling, the messages without which a rank would lack a term at the end.

    Args:
        ranks: number of ranks, a power of two.
        rank: whose sum is followed.

    Returns:
        For each round the messages on which the rank's sum depends.
    """
    needed, rounds = {rank}, []
    for sends in reversed(build_collective("all_reduce", "recursive_doubling", ranks=ranks, length=1).rounds):
        rounds.append([send for send in sends if send.destination in needed])
        needed |= {send.source for send in rounds[-1]}
    return rounds[::-1]


def hearing_panel(*, ranks: int = 8) -> Panel:
    """Draw what every rank holds after each step of recursive doubling, and the messages that rank 0's sum is made of.

    Args:
        ranks: number of ranks, a power of two, at most 8.

    Returns:
        The picture: a row a moment, a cell a rank, with the letters of the ranks whose terms it holds.
    """
    schedule = build_collective("all_reduce", "recursive_doubling", ranks=ranks, length=1)
    moments = [[set(rank[0][2]) for rank in held] for held in contributions(schedule)]
    needed = hears_from(ranks)
    left, height, gap = 42.0, 32.0, 40.0
    width = (_NARROW - left) / ranks
    panel = Panel(_NARROW, 30 + len(moments) * (height + gap) - gap + 4)
    panel.text(0, 14, "rank", colour="muted", size=12)
    for rank in range(ranks):
        panel.text(left + (rank + 0.5) * width, 14, str(rank), anchor="middle", colour="muted", size=12)
    for moment, held in enumerate(moments):
        y = 24 + moment * (height + gap)
        panel.text(0, y + height / 2, f"after {moment}" if moment else "start", middle=True, colour="muted", size=12)
        follows = {send.source for send in needed[moment]} | {0} if moment < len(needed) else {0}
        for rank, terms in enumerate(held):
            label = "".join(LETTERS[term] for term in sorted(terms))
            x = left + rank * width + 2
            heard = rank in follows or (moment and rank in {send.destination for send in needed[moment - 1]})
            tone, strength = (rank_colour(rank), 0.35) if heard else ("line", 0.0)
            panel.rectangle(x, y, width - 4, height, colour=tone, strength=strength)
            lines = [label[start : start + 4] for start in range(0, len(label), 4)]
            for number, line in enumerate(lines):
                at = y + height / 2 + 13 * (number - (len(lines) - 1) / 2)
                ink = "ink" if heard else "muted"
                panel.text(
                    x + width / 2 - 2, at, line, anchor="middle", middle=True, size=10.5, colour=ink, bold=bool(heard)
                )
        if moment < len(needed):
            for send in needed[moment]:
                ends = [left + (rank + 0.5) * width for rank in (send.source, send.destination)]
                panel.arrow(ends[0], y + height + 3, ends[1] + 6, y + height + gap - 3, colour="communication")
    return panel


class Hop(NamedTuple):
    """A message about one chunk: in which step, from which rank to which, and whether the sum was whole before it."""

    step: int
    source: int
    destination: int
    whole: bool


def hops_of_a_chunk(*, ranks: int, chunk: int = 0) -> list[Hop]:
    """Return the messages of a ring all-reduce that are about one chunk.

    Args:
        ranks: number of ranks, at least 2.
        chunk: number of the chunk, from 0.

    Returns:
        The messages in their order.
    """
    schedule = build_collective("all_reduce", "ring", ranks=ranks, length=ranks)
    held = list(holdings(schedule))
    return [
        Hop(step, send.source, send.destination, any(len(rank.get(chunk, ())) == ranks for rank in held[step]))
        for step, sends in enumerate(schedule.rounds)
        for send in sends
        if any(start <= chunk < stop for start, stop in send.ranges)
    ]


def chunk_panels(*, ranks: int = 4) -> tuple[Panel, Panel]:
    """Draw the messages of a ring all-reduce about chunk 0: until one rank has its sum, then until all have it.

    Args:
        ranks: number of ranks, from 2 to 4.

    Returns:
        Two pictures: a row a rank, a column a moment, with the letters of the ranks whose terms are in the chunk. The
        second begins with the moment with which the first ends.
    """
    ranks = integer_at_least("ranks", ranks, 2)
    words = f"{ranks - 1} messages: one rank has the sum", f"{ranks - 1} more: all have it"
    return (
        _chunk_panel(ranks, range(ranks), words[0], "communication"),
        _chunk_panel(ranks, range(ranks - 1, 2 * ranks - 1), words[1], "accent"),
    )


def _chunk_panel(ranks: int, moments: range, words: str, tone: str) -> Panel:
    held = list(holdings(build_collective("all_reduce", "ring", ranks=ranks, length=ranks)))
    left, width, gap, height = 48.0, 50.0, 28.0, 40.0
    panel = Panel(_NARROW, 54 + ranks * height)
    column = {moment: left + number * (width + gap) for number, moment in enumerate(moments)}
    panel.text(left, 14, words, colour=tone, bold=True)
    for moment, x in column.items():
        head = f"step {moment}" if moment else "start"
        panel.text(x + width / 2, 38, head, anchor="middle", colour="muted", size=12)
        for rank, places in enumerate(held[moment]):
            label = "".join(LETTERS[term] for term in sorted(places[0]))
            panel.rectangle(
                x,
                48 + rank * height,
                width,
                height - 10,
                colour=rank_colour(rank),
                label=label,
                strength=0.4 if len(places[0]) == ranks else 0.1,
            )
    for rank in range(ranks):
        panel.text(0, 48 + rank * height + (height - 10) / 2, f"rank {rank}", colour="muted", middle=True, size=12)
    for hop in hops_of_a_chunk(ranks=ranks):
        if hop.step in moments[:-1]:
            ends = [48 + rank * height + (height - 10) / 2 for rank in (hop.source, hop.destination)]
            panel.arrow(column[hop.step] + width + 3, ends[0], column[hop.step + 1] - 3, ends[1], colour=tone)
    return panel


def bus_rows(
    ranks: Sequence[int], *, size_bytes: float, bandwidth_bytes_per_s: float
) -> list[tuple[int, float, float]]:
    """Return for each number of ranks the time of a ring whose latency is nothing, and the caller's n/T.

    Args:
        ranks: numbers of ranks.
        size_bytes: bytes of the vector.
        bandwidth_bytes_per_s: β, per direction.

    Returns:
        Ranks, seconds, and bytes per second, for each.
    """
    rows = []
    for count in ranks:
        time = bandwidth_bound_s(
            "all_reduce", ranks=count, size_bytes=size_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s
        )
        rows.append((count, time, size_bytes / time))
    return rows


def bus_panel(ranks: Sequence[int], *, size_bytes: float, bandwidth_bytes_per_s: float) -> Panel:
    """Draw how long ports are busy with an all-reduce of one size, for several numbers of ranks, on one axis of time.

    Args:
        ranks: numbers of ranks, a row each.
        size_bytes: bytes of the vector.
        bandwidth_bytes_per_s: β, per direction.

    Returns:
        The picture: both phases of each, what the caller sees, n/T, and what a port carries.
    """
    rows = bus_rows(ranks, size_bytes=size_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    left, right, row = 66.0, _NARROW - 18, 56.0
    panel = Panel(_NARROW, 58 + row * len(rows))
    axis = Axis(0, 2 * size_bytes / bandwidth_bytes_per_s, unit="s")
    bottom = 34 + row * len(rows)

    def x(time: float) -> float:
        return left + axis.share(time) * (right - left)

    panel.text(
        0, 14, f"{in_units(size_bytes, 'B')}, ports of {in_units(bandwidth_bytes_per_s, 'B/s')} each way", bold=True
    )
    for mark in axis.marks(6):
        for number in range(len(rows)):
            panel.line(x(mark), 28 + row * number, x(mark), 62 + row * number, colour="line")
        panel.text(x(mark), bottom + 16, in_units(mark, "s"), anchor="middle", colour="muted", size=12)
    panel.text(left - 26, bottom + 16, "time", anchor="end", colour="muted", size=12)
    for number, (count, time, seen) in enumerate(rows):
        y = 32 + row * number
        panel.text(left - 10, y + 13, f"{count:,} ranks", anchor="end", middle=True)
        for phase, (start, stop) in enumerate(pairwise((0.0, time / 2, time))):
            label = ("reduce-scatter", "all-gather")[phase]
            panel.rectangle(
                x(start),
                y,
                x(stop) - x(start),
                26,
                colour="communication",
                strength=(0.4, 0.15)[phase],
                label=label if x(stop) - x(start) > 100 else "",
            )
        carried = size_bytes * 2 * (count - 1) / count / time
        for place, head, rate in ((left, "caller", seen), (left + 134, "port", carried)):
            panel.text(place, y + 43, head, colour="muted", size=12)
            panel.text(place + 122, y + 43, f"{rate / 1e9:.1f} GB/s", anchor="end", size=12)
    return panel


class Port(NamedTuple):
    """Chunks that go out of a rank's port, and into it."""

    out: int
    into: int


def switch_counts(ranks: int) -> tuple[list[Port], list[Port]]:
    """Return what goes through each rank's port while switches read and add (NVLS), and while they write and copy.

    Chunk i belongs to rank i. In the first phase each chunk leaves all ranks, and its owner receives the sum; in the
    second each owner sends the sum once, and all ranks receive it.

    Args:
        ranks: number of ranks.

    Returns:
        For each phase the chunks through every rank's port.
    """
    reading = [[0, 0] for _ in range(ranks)]
    writing = [[0, 0] for _ in range(ranks)]
    for owner in range(ranks):
        for rank in range(ranks):
            reading[rank][0] += 1
            writing[rank][1] += 1
        reading[owner][1] += 1
        writing[owner][0] += 1
    return [Port(*port) for port in reading], [Port(*port) for port in writing]


def switch_panels(*, ranks: int = 4) -> tuple[Panel, Panel]:
    """Draw the two phases of an all-reduce in which the switches add (NVLS), with the chunks through every port.

    Args:
        ranks: number of ranks, at most 5.

    Returns:
        Two pictures: reading with a sum, writing with a copy.
    """
    titles = ("1. Every rank reads its chunk's sum", "2. Every rank writes it to all")
    does = ("switches add", "switches copy")
    return tuple(  # type: ignore[return-value]
        _switch_panel(title, what, ports) for title, what, ports in zip(titles, does, switch_counts(ranks), strict=True)
    )


def _switch_panel(title: str, does: str, ports: Sequence[Port]) -> Panel:
    width, column = 328.0, 328.0 / len(ports)
    panel = Panel(width, 190)
    panel.text(0, 14, title, bold=True)
    panel.rectangle(4, 28, width - 8, 32, colour="idle", label=does)
    for rank, port in enumerate(ports):
        middle = (rank + 0.5) * column
        panel.rectangle(middle - 26, 152, 52, 28, colour=rank_colour(rank), label=f"rank {rank}")
        for x, count, ends in ((middle - 13, port.out, (148, 64)), (middle + 13, port.into, (64, 148))):
            panel.arrow(x, ends[0], x, ends[1], colour="communication" if count > 1 else "muted")
            panel.text(
                x + (-5 if x < middle else 5),
                108,
                str(count),
                anchor="end" if x < middle else "start",
                middle=True,
                bold=count > 1,
            )
    return panel


def cost_table(primitives: Sequence[str], *, added: bool = True) -> str:
    """Return a Markdown table of the closed forms of all algorithms of some primitives, each with its floor.

    Args:
        primitives: names of ``PRIMITIVES``.
        added: whether to have a column of the bytes that are added.

    Returns:
        Markdown with TeX: a row for the floor of each primitive, then one for each of its algorithms. Algorithms of
        which the form holds for powers of two alone carry a star.
    """
    last = 3 if added else 2
    heads = ("steps $S$", r"bytes $Q_\beta$", r"added $Q_\gamma$")[:last]
    rows = ["| | " + " | ".join(heads) + " |", "|---" * (last + 1) + "|"]
    for primitive in primitives:
        one_of("primitives", primitive, tuple(_FLOORS))
        floor = " | ".join(f"${term}$" for term in _FLOORS[primitive][:last])
        rows.append(f"| **{primitive.replace('_', '-')}**, no less than | {floor} |")
        for algorithm in ALGORITHMS[primitive]:
            form = CLOSED_FORMS[primitive, algorithm]
            star = " *" if form.ranks == "a power of two" else ""
            terms = " | ".join(f"${term}$" for term in (form.steps, form.wire, form.reduced)[:last])
            rows.append(f"| {spoken(algorithm)}{star} | {terms} |")
    return "\n".join(rows)


def bus_bandwidth_plot(
    run: PublishedRun,
    lines: Mapping[str, tuple[Sequence[int], Sequence[float]]],
    *,
    link_bytes_per_s: float,
    width_px: float = 690,
    height_px: float = 340,
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
