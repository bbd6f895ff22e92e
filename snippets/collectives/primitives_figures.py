"""Figures: primitives by where they take from and where they leave, their backward passes, and sums that round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from snippets.collectives.float_sums import BFLOAT16_BITS, FLOAT32_BITS, pairwise_sum, running_sums
from snippets.collectives.grid import run_on_grid
from snippets.domain import each, finite_number, integer_at_least
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.palette import rank as rank_colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

RANKS = 4
LETTERS = "ABCD"
PLACES = {"root": "the root", "owner": "the owners", "all": "all"}
PRIMITIVES = {
    ("root", "owner"): "scatter",
    ("root", "all"): "broadcast",
    ("owner", "root"): "gather",
    ("owner", "all"): "all_gather",
    ("all", "root"): "reduce",
    ("all", "owner"): "reduce_scatter",
    ("all", "all"): "all_reduce",
}
PAIRS = (("all_gather", "reduce_scatter"), ("broadcast", "reduce"), ("scatter", "gather"), ("all_reduce", "all_reduce"))
_CELL = 21.0


def _marked() -> np.ndarray:
    """Return a grid in which every number has one bit of its own, so that a sum tells its terms."""
    return 1 << np.arange(RANKS * RANKS, dtype=np.int64).reshape(RANKS, RANKS)


def _piece(number: int, letters: str = LETTERS) -> tuple[str, str]:
    """Return the colour and the label of what a marked number stands for: one rank's piece, or a sum."""
    terms = [bit for bit in range(RANKS * RANKS) if number >> bit & 1]
    row, column = divmod(terms[0], RANKS)
    return (rank_colour(row), f"{letters[row]}{column}") if len(terms) == 1 else ("muted", f"Σ{column}")


def _grid(panel: Panel, x: float, y: float, grid: np.ndarray, mask: np.ndarray, *, cell_px: float = _CELL) -> None:
    panel.rectangle(x, y, RANKS * cell_px, RANKS * cell_px, colour="line", strength=0)
    for row, column in np.argwhere(mask):
        tint, label = _piece(int(grid[row, column]))
        panel.rectangle(x + column * cell_px, y + row * cell_px, cell_px, cell_px, colour=tint, label=label)


def from_to_panel() -> Panel:
    """Draw seven primitives in a table, each as the grid before and after, as runs on marked numbers left it.

    Returns:
        The picture: rows are where a primitive takes its numbers from, columns where it leaves them.
    """
    side, gap, left, top = RANKS * _CELL, 24.0, 86.0, 44.0
    width, height = 2 * side + gap + 11, side + 40
    panel = Panel(left + 3 * width - 10, top + 3 * height - 10)
    for row, (source, said) in enumerate(PLACES.items()):
        panel.text(left + row * width, 15, f"to {said}", bold=True)
        y = top + row * height
        middle = y + 18 + side / 2
        panel.text(0, middle - 6, "from", bold=True, size=12)
        panel.text(0, middle + 11, said, bold=True, size=12)
        if source == "all":
            panel.text(0, middle + 28, "(added up)", colour="muted", size=12)
        for column, target in enumerate(PLACES):
            x = left + column * width
            primitive = PRIMITIVES.get((source, target))
            if primitive is None:
                panel.text(x + side + gap / 2, middle, "nothing moves", anchor="middle", colour="muted")
                continue
            panel.text(x, y + 10, primitive.replace("_", "-"))
            marked = _marked()
            done = run_on_grid(primitive, marked)
            _grid(panel, x, y + 18, marked, done.reads)
            _grid(panel, x + side + gap, y + 18, done.after, done.fills)
            panel.arrow(x + side + 5, middle, x + side + gap - 5, middle)
    return panel


def halves_panel() -> Panel:
    """Draw an all-reduce taken apart: the grid before, after the reduce-scatter, and after the all-gather.

    Returns:
        The picture: three grids from left to right, as runs of the two primitives on marked numbers left them.
    """
    side, gap, left, top = RANKS * 28.0, 112.0, 22.0, 10.0
    panel = Panel(left + 3 * side + 2 * gap + 2, top + side + 4)
    first = run_on_grid("reduce_scatter", _marked())
    second = run_on_grid("all_gather", first.after)
    steps = (
        (_marked(), first.reads, ""),
        (first.after, first.fills, "reduce-scatter"),
        (second.after, second.fills, "all-gather"),
    )
    for number, (grid, mask, name) in enumerate(steps):
        x = left + number * (side + gap)
        _grid(panel, x, top, grid, mask, cell_px=28)
        if name:
            panel.text(x - gap / 2, top + side / 2 - 8, name, anchor="middle")
            panel.arrow(x - gap + 8, top + side / 2, x - 8, top + side / 2)
    for rank in range(RANKS):
        panel.text(left - 6, top + (rank + 0.5) * 28, str(rank), anchor="end", colour="muted", middle=True)
    return panel


def adjoint_panels(*, column: int = 1) -> tuple[Panel, ...]:
    """Draw what four primitives do with one chunk, and after each its backward pass with the arrows turned round.

    Args:
        column: which chunk, from 0 to 3; its owner is the rank of the same number, and the root is rank 0.

    Returns:
        Eight pictures, forward and backward in turn. Values go from x on the left to y, gradients come back from y to
        x: an arrow for each number that is in another rank's result, a dashed line for what stays.
    """
    column = integer_at_least("column", column, 0)
    if column >= RANKS:
        raise ValueError(f"column must be from 0 to {RANKS - 1}, got {column}")
    return tuple(
        _column_panel(primitive, column, backward=backward) for pair in PAIRS for backward, primitive in enumerate(pair)
    )


def _column_panel(primitive: str, column: int, *, backward: int) -> Panel:
    """Draw a primitive on a column, as a run on marked numbers left it."""
    row_px, top, width = 26.0, 26.0, 46.0
    way, letters, heads = ("backward", "abcd", ("∂L/∂x", "∂L/∂y")) if backward else ("forward", LETTERS, ("x", "y"))
    panel = Panel(320, top + RANKS * row_px + 18)
    panel.text(0, 14, f"{way}:", colour=way)
    panel.text(72, 14, primitive.replace("_", "-"), bold=True)
    marked = _marked()
    done = run_on_grid(primitive, marked)
    left, right = 26.0, 246.0
    ins, outs = (right, left) if backward else (left, right)
    for place, mask, grid in ((ins, done.reads, marked), (outs, done.fills, done.after)):
        for rank in range(RANKS):
            box = place, top + rank * row_px, width, row_px - 6
            if mask[rank, column]:
                tint, label = _piece(int(grid[rank, column]), letters)
                panel.rectangle(*box, colour=tint, label=label)
            else:
                panel.rectangle(*box, colour="line", strength=0)
    start, end = (right - 2, left + width + 3) if backward else (left + width + 2, right - 3)
    for source, target in _terms(done.after, done.fills, column):
        y1, y2 = (top + (rank + 0.5) * row_px - 3 for rank in (source, target))
        if source == target:
            panel.line(start, y1, end, y2, dashed=True)
        else:
            panel.arrow(start, y1, end, y2, colour="communication")
    for rank in range(RANKS):
        panel.text(12, top + rank * row_px + 10, str(rank), anchor="end", colour="muted", middle=True)
    for x, head in zip((left, right), heads, strict=True):
        panel.text(x + width / 2, top + RANKS * row_px + 10, head, anchor="middle", colour="muted")
    return panel


def _terms(after: np.ndarray, fills: np.ndarray, column: int) -> list[tuple[int, int]]:
    """Return which rank's number of a column is in which rank's result."""
    return [
        (source, target)
        for target in range(RANKS)
        if fills[target, column]
        for source in range(RANKS)
        if int(after[target, column]) >> (source * RANKS + column) & 1
    ]


def ring_sums_panel(values: Sequence[float]) -> Panel:
    """Draw how a ring of four ranks adds the same four numbers up in each of its four chunks, in float32.

    Args:
        values: what ranks 0 to 3 bring for every chunk, each any finite number.

    Returns:
        The picture: a row for each chunk, from left to right the ranks in the order in which their numbers are added,
        below each the sum so far, rounded to float32.
    """
    numbers = each("values", values, finite_number)
    if len(numbers) != RANKS:
        raise ValueError(f"values must be {RANKS} numbers, got {len(numbers)}")
    left, step, row_px, top = 82.0, 152.0, 62.0, 26.0
    panel = Panel(left + RANKS * step - 20, top + RANKS * row_px)
    heads = ("begins", "adds", "adds", "adds last")
    for place, head in enumerate(heads):
        panel.text(left + place * step + 65, 14, head, anchor="middle", colour="muted")
    for chunk in range(RANKS):
        y = top + chunk * row_px
        order = [(chunk + 1 + hop) % RANKS for hop in range(RANKS)]
        sums = running_sums([numbers[rank] for rank in order], significant_bits=FLOAT32_BITS)
        panel.text(0, y + 16, f"chunk {chunk}", bold=True)
        panel.text(0, y + 44, "sum so far", colour="muted")
        for place, (rank, total) in enumerate(zip(order, sums, strict=True)):
            x, last = left + place * step, place == RANKS - 1
            panel.rectangle(
                x, y, 130, 22, colour=rank_colour(rank), label=f"{LETTERS[rank]} = {_signed(numbers[rank])}"
            )
            panel.text(x + 65, y + 44, _signed(total), anchor="middle", bold=last, colour="accent" if last else "ink")
            if not last:
                panel.arrow(x + 133, y + 11, x + step - 3, y + 11, colour="communication")
    return panel


def _signed(number: float) -> str:
    return f"{number:,.0f}".replace("-", "−")


def bfloat16_sums_plot(*, ranks: int = 512) -> Figure:
    """Plot the sum of ones against the ranks that have added theirs, in bfloat16, along a chain and up a tree.

    Args:
        ranks: how many ranks bring a 1, at least 2.

    Returns:
        The figure: a line for the chain, a dot for each level of the tree, a dashed line for the right sum.
    """
    ranks = integer_at_least("ranks", ranks, 2)
    chain = running_sums([1.0] * ranks, significant_bits=BFLOAT16_BITS)
    levels = [2**power for power in range(ranks.bit_length()) if 2**power <= ranks]
    tree = [pairwise_sum([1.0] * level, significant_bits=BFLOAT16_BITS) for level in levels]
    with plot(width_px=660, height_px=260) as (figure, axes):
        axes.plot([1, ranks], [1, ranks], color=colour("muted"), linestyle="--", linewidth=1.2)
        axes.plot(range(1, ranks + 1), chain, color=colour("communication"))
        axes.plot(levels, tree, "o", color=colour("accent"), markersize=5)
        axes.annotate(
            "chain, as in a ring", (0.86 * ranks, chain[-1]), (0, -16), textcoords="offset points", ha="center"
        )
        axes.annotate(
            "right sum (dashed), tree (dots)",
            (0.82 * ranks, 0.82 * ranks),
            (-12, 2),
            textcoords="offset points",
            ha="right",
        )
        axes.set_xlabel("ranks that have added their 1")
        axes.set_ylabel("sum in bfloat16")
        axes.set_xlim(0, ranks * 1.02)
        axes.set_ylim(0, ranks * 1.06)
        axes.set_xticks([ranks * part // 4 for part in range(5)])
        axes.set_yticks([ranks * part // 4 for part in range(5)])
    return figure
