"""Figures: primitives by where they take from and where they leave, their backward passes, and sums that round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from snippets.collectives.grid import run_on_grid
from snippets.collectives.primitives.float_sums import BFLOAT16_BITS, FLOAT32_BITS, pairwise_sum, running_sums
from snippets.domain import each, finite_number, integer_at_least, positive_number
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.palette import rank as rank_colour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def from_to_panels() -> tuple[Panel, ...]:
    """Draw seven primitives in a table, each as the grid before and after, as runs on marked numbers left it.

    Returns:
        A picture for each place where numbers can be left; in it, from top to bottom, where they are taken.
    """
    return tuple(_to_panel(target) for target in PLACES)


def _to_panel(target: str) -> Panel:
    """Draw the primitives that leave their result in one place."""
    side, gap, top, height = RANKS * _CELL, 24.0, 24.0, 142.0
    panel = Panel(2 * side + gap + 2, top + len(PLACES) * height - 18)
    panel.text(0, 14, f"to {PLACES[target]}", bold=True)
    for row, (source, said) in enumerate(PLACES.items()):
        y = top + row * height
        panel.text(0, y + 14, f"from {said}" + (", added up" if source == "all" else ""), colour="muted", size=12)
        primitive = PRIMITIVES.get((source, target))
        if primitive is None:
            panel.text(0, y + 31, "nothing moves", colour="muted")
            continue
        panel.text(0, y + 31, primitive.replace("_", "-"))
        _before_and_after(panel, primitive, _marked(), x=0, y=y + 38, gap=gap, cell_px=_CELL)
    return panel


def _before_and_after(
    panel: Panel, primitive: str, before: np.ndarray, *, x: float, y: float, gap: float, cell_px: float
) -> np.ndarray:
    """Draw a grid, an arrow and what a run of the primitive made of the grid; return that."""
    side = RANKS * cell_px
    done = run_on_grid(primitive, before)
    _grid(panel, x, y, before, done.reads, cell_px=cell_px)
    _grid(panel, x + side + gap, y, done.after, done.fills, cell_px=cell_px)
    panel.arrow(x + side + 5, y + side / 2, x + side + gap - 5, y + side / 2)
    return done.after


def halves_panels() -> tuple[Panel, ...]:
    """Draw an all-reduce taken apart: the grid before and after the reduce-scatter, and the same for the all-gather.

    Returns:
        Two pictures, as runs of the two primitives on marked numbers left them; the second starts where the first ends.
    """
    cell_px, gap, left, top = 28.0, 36.0, 22.0, 26.0
    side, held, panels = RANKS * cell_px, _marked(), []
    for when, primitive in ("first", "reduce_scatter"), ("then", "all_gather"):
        panel = Panel(left + 2 * side + gap + 2, top + side + 4)
        panel.text(left, 15, f"{when}: {primitive.replace('_', '-')}", bold=True)
        held = _before_and_after(panel, primitive, held, x=left, y=top, gap=gap, cell_px=cell_px)
        for rank in range(RANKS):
            panel.text(left - 6, top + (rank + 0.5) * cell_px, str(rank), anchor="end", colour="muted", middle=True)
        panels.append(panel)
    return tuple(panels)


def phases_panel(
    plans: Mapping[str, Sequence[str]],
    *,
    phase_gb: float,
    most_gb: float,
    own_gb: Mapping[str, tuple[str, float]] | None = None,
) -> Panel:
    """Draw what one GPU sends in a step, a block for each phase, against what hides behind its computing.

    Args:
        plans: for each plan, by its name, the short names of its phases in their order; a phase without a name is cut
            in two where the network has no time left.
        phase_gb: what one phase sends.
        most_gb: what the network carries while the GPU computes.
        own_gb: for a plan that can hide behind a part of the computing only, that part's name and what the network
            carries meanwhile.

    Returns:
        The picture: a bar for each plan on one axis of gigabytes, its sum behind its name, a dashed line for the most,
        and a short one for a plan's own.
    """
    phase_gb, most_gb = positive_number("phase_gb", phase_gb), positive_number("most_gb", most_gb)
    if not plans or not all(plans.values()):
        raise ValueError(f"plans must name one plan or more, each with a phase, got {plans!r}")
    width, top, row_px, bar = 340.0, 30.0, 54.0, 24.0
    scale = (width - 4) / max(most_gb, *(phase_gb * len(phases) for phases in plans.values()))
    panel = Panel(width, top + len(plans) * row_px)
    for row, (name, phases) in enumerate(plans.items()):
        y = top + row * row_px
        panel.text(2, y + 14, f"{name}: {phase_gb * len(phases):.0f} GB")
        for place, phase in enumerate(phases):
            x, block = 2 + place * phase_gb * scale, phase_gb * scale
            hidden = min(max((most_gb - place * phase_gb) * scale, 0), block)
            if 0 < hidden < block and not phase:
                panel.rectangle(x, y + 20, hidden, bar, colour="communication")
                panel.rectangle(x + hidden, y + 20, block - hidden, bar, colour="muted")
            else:
                panel.rectangle(x, y + 20, block, bar, colour="communication" if hidden else "muted", label=phase)
        if own_gb and name in own_gb:
            part, own = own_gb[name]
            limit = 2 + positive_number("own_gb", own) * scale
            panel.line(limit, y + 20, limit, y + 20 + bar, colour="accent", dashed=True)
            panel.text(2 + most_gb * scale - 6, y + 14, f"{part}: {own:.0f} GB", anchor="end", colour="accent")
    edge, y = 2 + most_gb * scale, 20.0
    for row, phases in enumerate(plans.values()):
        bar_top = top + row * row_px + 20
        crossed = len(phases) * phase_gb > most_gb
        panel.line(edge, y, edge, bar_top - 1 if crossed else bar_top + bar, colour="accent", dashed=True)
        y = bar_top + bar + crossed
    panel.line(edge, y, edge, panel.height, colour="accent", dashed=True)
    panel.text(edge, 14, f"can hide: {most_gb:.0f} GB", anchor="middle", colour="accent", bold=True)
    return panel


def adjoint_panels(*, column: int = 1) -> tuple[Panel, ...]:
    """Draw what four primitives do with one chunk, and after each its backward pass with the arrows turned round.

    Args:
        column: which chunk, from 0 to 3; its owner is the rank of the same number, and the root is rank 0.

    Returns:
        Eight pictures, forward and backward in turn. Values go from y on the left to z, gradients come back from z to
        y: an arrow for each number that is in another rank's result, a dashed line for what stays.
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
    way, letters, heads = ("backward", "abcd", ("∂ℒ/∂y", "∂ℒ/∂z")) if backward else ("forward", LETTERS, ("y", "z"))
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


def ring_sums_panels(values: Sequence[float]) -> tuple[Panel, ...]:
    """Draw how a ring of four ranks adds the same four numbers up in each of its four chunks, in float32.

    Args:
        values: what ranks 0 to 3 bring for every chunk, each any finite number.

    Returns:
        A picture for each chunk: from top to bottom the ranks in the order in which their numbers are added, beside
        each the sum so far, rounded to float32.
    """
    numbers = each("values", values, finite_number)
    if len(numbers) != RANKS:
        raise ValueError(f"values must be {RANKS} numbers, got {len(numbers)}")
    return tuple(_chunk_panel(chunk, numbers) for chunk in range(RANKS))


def _chunk_panel(chunk: int, numbers: Sequence[float]) -> Panel:
    """Draw the sums of one chunk on its way round the ring."""
    left, width, row_px, top, right = 74.0, 130.0, 32.0, 26.0, 306.0
    panel = Panel(right + 2, top + RANKS * row_px - 6)
    panel.text(0, 14, f"chunk {chunk}", bold=True)
    panel.text(right, 14, "sum so far", anchor="end", colour="muted")
    order = [(chunk + 1 + hop) % RANKS for hop in range(RANKS)]
    sums = running_sums([numbers[rank] for rank in order], significant_bits=FLOAT32_BITS)
    for place, (rank, total) in enumerate(zip(order, sums, strict=True)):
        y, last = top + place * row_px, place == RANKS - 1
        panel.text(0, y + 16, f"rank {rank}", colour="muted")
        panel.rectangle(
            left, y, width, 22, colour=rank_colour(rank), label=f"{LETTERS[rank]} = {_signed(numbers[rank])}"
        )
        panel.text(right, y + 16, _signed(total), anchor="end", bold=last, colour="accent" if last else "ink")
        if not last:
            panel.arrow(left + width / 2, y + 23, left + width / 2, y + row_px - 1, colour="communication")
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
    with plot(width_px=340, height_px=260) as (figure, axes):
        axes.plot([1, ranks], [1, ranks], color=colour("muted"), linestyle="--", linewidth=1.2)
        axes.plot(range(1, ranks + 1), chain, color=colour("communication"))
        axes.plot(levels, tree, "o", color=colour("accent"), markersize=5)
        said = f"chain, as in a ring:\nstops at {chain[-1]:.0f}"
        axes.annotate(said, (ranks, chain[-1]), (0, -8), textcoords="offset points", ha="right", va="top")
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
