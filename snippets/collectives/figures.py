"""Figures: grids before and after a primitive, a schedule round by round, two trees, steps against bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from snippets.collectives.algorithm_costs import algorithm_cost, collective_lower_bound
from snippets.collectives.grid import run_on_grid
from snippets.domain import integer_at_least, positive_integer
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.palette import rank as rank_colour
from snippets.simulation.checker import check_collective
from snippets.simulation.double_tree import double_binary_tree, edge_delays
from snippets.simulation.holdings import holdings
from snippets.simulation.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTERS = "ABCDEFGH"


def primitive_panel(primitive: str, *, ranks: int = 4, cell_px: float = 28) -> Panel:
    """Draw the grid of ranks and chunks before and after a primitive, as a run on marked numbers left it.

    Every cell that is read brings a number with one bit of its own, so that the bits of a result tell its terms.

    Args:
        primitive: any but the barrier; a root is rank 0.
        ranks: number of ranks, at most 7.
        cell_px: side of a cell.

    Returns:
        The picture: a letter and a colour for the rank that a piece comes from, a number for the piece.
    """
    ranks = positive_integer("ranks", ranks)
    if ranks >= len(LETTERS):
        raise ValueError(f"ranks must be at most {len(LETTERS) - 1}, got {ranks}")
    marked = 1 << np.arange(ranks * ranks).reshape(ranks, ranks)
    done = run_on_grid(primitive, marked)
    side, gap, left, top = ranks * cell_px, 36, 22, 26
    panel = Panel(left + 2 * side + gap + 2, top + side + 4)
    panel.text(left, 15, primitive.replace("_", "-"), bold=True)
    for grid, mask, x in ((marked, done.reads, left), (done.after, done.fills, left + side + gap)):
        panel.rectangle(x, top, side, side, colour="line", strength=0)
        for row, column in np.argwhere(mask):
            terms = [bit for bit in range(ranks * ranks) if int(grid[row, column]) >> bit & 1]
            tint, label = _piece(terms, ranks)
            at = x + column * cell_px, top + row * cell_px
            panel.rectangle(*at, cell_px, cell_px, colour=tint, label=label)
    for rank in range(ranks):
        panel.text(left - 6, top + (rank + 0.5) * cell_px, str(rank), anchor="end", colour="muted", middle=True)
    middle = top + side / 2
    panel.arrow(left + side + 8, middle, left + side + gap - 8, middle)
    return panel


def _piece(terms: list[int], ranks: int) -> tuple[str, str]:
    """Return colour and label of a cell: one rank's piece, or the sum of all ranks' pieces."""
    row, column = divmod(terms[0], ranks)
    if len(terms) == 1:
        return rank_colour(row), f"{LETTERS[row]}{column}"
    return "muted", f"Σ{column}"


def round_panels(
    schedule: Schedule, *, cell_px: tuple[float, float] = (42, 28), letters: str = LETTERS, before: str = ""
) -> tuple[Panel, ...]:
    """Draw what every rank holds before the first round of a schedule and after each, with the messages that came.

    Args:
        schedule: a right schedule of at most 8 ranks whose length is the number of its ranks.
        cell_px: width and height of a cell.
        letters: the ranks' terms.
        before: what stands before the letters of a cell, as the g of g₀₁.

    Returns:
        One picture for each moment: rows are ranks, columns are chunks in the colour of the rank that owns them,
        letters are the ranks whose terms a cell holds, a full cell is tinted most, and a thick frame says that the
        cell has just been filled.
    """
    check_collective(schedule)
    ranks = schedule.ranks
    if schedule.length != ranks or ranks > len(letters):
        most = len(letters)
        raise ValueError(
            f"schedule must have as many elements as ranks, at most {most}, got {schedule.length} and {ranks}"
        )
    (width, height), left, top = cell_px, 22, 26
    panels = []
    for moment, held in enumerate(holdings(schedule)):
        panel = Panel(left + ranks * width + 6, top + ranks * height + 4)
        panel.text(left, 15, f"after step {moment}" if moment else "start", bold=True)
        for row, places in enumerate(held):
            panel.text(left - 6, top + (row + 0.5) * height, str(row), anchor="end", colour="muted", middle=True)
            for column, terms in sorted(places.items()):
                full = len(terms) == ranks
                x, y = left + column * width, top + row * height
                label = before + "".join(letters[term] for term in sorted(terms))
                strength = 0.42 if full else 0.05 + 0.06 * len(terms)
                panel.rectangle(x, y, width, height, colour=rank_colour(column), label=label, strength=strength)
        came = [
            (left + place * width, top + send.destination * height)
            for send in (schedule.rounds[moment - 1] if moment else ())
            for start, stop in send.ranges
            for place in range(start, stop)
        ]
        boxes = [(x + d, y + d, width - 2 * d, height - 2 * d) for x, y in came for d in (1.5, 2.5)]
        panel.rectangles(boxes, colour="communication", strength=0)
        panels.append(panel)
    return tuple(panels)


def tree_panels(*, ranks: int = 8, width_px: float = 300) -> tuple[Panel, Panel]:
    """Draw the broadcast of a double binary tree: an arrow down each edge, with the step in which it carries block 1.

    A rank with children in a tree has a solid outline there.

    Args:
        ranks: number of ranks, at least 2.
        width_px: width of each panel.

    Returns:
        The two trees: rank 0 on top, the others placed from left to right so that no edges cross.
    """
    ranks = integer_at_least("ranks", ranks, 2)
    return tuple(  # type: ignore[return-value]
        _tree_panel(
            dict(enumerate(parents, start=1)),
            {node: delay + 1 for node, delay in enumerate(delays, start=1)},
            f"tree {number}",
            width_px,
        )
        for number, (parents, delays) in enumerate(
            zip(double_binary_tree(ranks), edge_delays(ranks), strict=True), start=1
        )
    )


def _tree_panel(parent: dict[int, int], first: dict[int, int], title: str, width_px: float) -> Panel:
    def depth(node: int) -> int:
        return depth(parent[node]) + 1 if node in parent else 0

    def in_order(node: int) -> list[int]:
        below = [child for child, above in parent.items() if above == node]
        half = (len(below) + 1) // 2
        left, right = ([place for child in part for place in in_order(child)] for part in (below[:half], below[half:]))
        return [*left, node, *right]

    top = next(node for node, above in parent.items() if above == 0)
    step, line = width_px / len(parent), 58
    columns = {node: column for column, node in enumerate(in_order(top))}
    places = {node: ((columns[node] + 0.5) * step, 40.0 + depth(node) * line) for node in parent}
    places[0] = places[top][0], 40.0
    panel = Panel(width_px, 40 + max(map(depth, parent)) * line + 20)
    panel.text(2, 15, title, bold=True)
    for node, above in parent.items():
        (x1, y1), (x2, y2) = places[above], places[node]
        panel.arrow(x1, y1 + 13, x2, y2 - 13, colour="communication")
        right = x2 >= x1
        x = x1 + (x2 - x1) * 0.62 + (8 if right else -8)
        panel.text(x, (y1 + y2) / 2 + 1, str(first[node]), anchor="start" if right else "end", colour="muted", size=12)
    for node, (x, y) in sorted(places.items()):
        leaf = node not in parent.values()
        panel.rectangle(x - 14, y - 12, 28, 24, colour=rank_colour(node), label=str(node), dashed=leaf)
    return panel


def steps_and_bytes_plot(*, ranks: int, segments: tuple[int, ...]) -> Figure:
    """Plot steps against bytes of every all-reduce, per byte of the vector, on log axes, with both lower bounds.

    Args:
        ranks: number of ranks N, at least 2.
        segments: the blocks to draw for the double binary tree, which is a curve.

    Returns:
        The figure.
    """
    ranks = integer_at_least("ranks", ranks, 2)
    length = 2 * ranks * ranks * max(segments)
    names = {
        "flat": "one root",
        "binomial": "binomial tree",
        "recursive_doubling": "recursive\ndoubling",
        "halving_doubling": "halving–\ndoubling",
        "ring": "ring",
    }

    def point(algorithm: str, blocks: int = 1) -> tuple[float, float]:
        terms = algorithm_cost("all_reduce", algorithm, ranks=ranks, size_bytes=length, segments=blocks)
        return terms.steps, terms.wire_bytes / length

    bound = collective_lower_bound("all_reduce", ranks=ranks, size_bytes=length)
    place: dict[str, Any] = {
        "flat": {"ha": "right", "va": "center", "xytext": (-9, 0)},
        "binomial": {"ha": "center", "va": "bottom", "xytext": (0, 7)},
        "recursive_doubling": {"ha": "left", "va": "center", "xytext": (9, -2)},
        "halving_doubling": {"ha": "left", "va": "bottom", "xytext": (-6, 7)},
        "ring": {"ha": "right", "va": "bottom", "xytext": (0, 7)},
    }
    with plot(width_px=340, height_px=320) as (figure, axes):
        axes.axvline(bound.steps, color=colour("muted"), linestyle="--", linewidth=1)
        axes.axhline(bound.wire_bytes / length, color=colour("muted"), linestyle="--", linewidth=1)
        curve = [point("double_binary_tree", blocks) for blocks in segments]
        axes.plot(*zip(*curve, strict=True), color=colour("accent"), marker=".", markersize=5, linewidth=1)
        middle = curve[len(curve) // 2]
        axes.annotate(
            "two trees,\nmore blocks →", middle, (8, 8), textcoords="offset points", color=colour("accent"), va="bottom"
        )
        for algorithm, name in names.items():
            at = point(algorithm)
            axes.plot(*at, "o", color=colour("communication"))
            axes.annotate(name, at, textcoords="offset points", **place[algorithm])
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xlabel("steps, one after the other")
        axes.set_ylabel("bytes on the slowest path / n")
        ticks = [2**power for power in range(3, 11, 2)]
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        heights = [2**power for power in range(1, 10, 2)]
        axes.set_yticks(heights, [str(tick) for tick in heights])
        axes.minorticks_off()
    return figure
