"""Figures: how parts of a softmax merge, who attends to whom in which step, and how tokens become heads."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.drawing import Panel
from snippets.palette import rank as rank_colour
from snippets.parallelism.sequence.formulas import context_rank_chunks
from snippets.parallelism.sequence.softmax_merge import SoftmaxPart, merge_parts, softmax_part

WIDTH_PX = 340  # of a telephone


def merge_panel(scores: Sequence[float], values: Sequence[float], *, cut: int, width_px: float = WIDTH_PX) -> Panel:
    """Draw a row of scores with a value each, cut in two blocks, what each leaves behind, and the merged part.

    Args:
        scores: of one query with each key.
        values: one number for each key.
        cut: how many keys the first block has.
        width_px: of the panel.

    Returns:
        The panel.
    """
    panel, left, gap = Panel(width_px, 264), 44.0, 12.0
    side = (width_px - left - gap) / len(scores)
    panel.text(0, 36, "score", middle=True, size=12)
    panel.text(0, 62, "value", middle=True, size=12)
    parts: list[SoftmaxPart] = []
    x, below = left, (left + width_px) / 2
    for number, block in enumerate((slice(0, cut), slice(cut, len(scores)))):
        begin = x
        for score, value in zip(scores[block], values[block], strict=True):
            panel.rectangle(x, 24, side - 4, 24, colour=rank_colour(number), label=f"{score:g}")
            panel.rectangle(x, 50, side - 4, 24, colour=rank_colour(number), label=f"{value:g}", strength=0.08)
            x += side
        middle = (begin + x - 4) / 2
        panel.text(middle, 14, f"block {number + 1}", anchor="middle", bold=True)
        part = softmax_part(scores[block], [[value] for value in values[block]])
        parts.append(part)
        panel.arrow(middle, 78, middle, 98)
        _written(panel, middle, 100, part, rank_colour(number))
        panel.line(middle, 146, middle, 160, colour="accent")
        panel.line(middle, 160, below, 160, colour="accent")
        x += gap
    panel.arrow(below, 160, below, 176, colour="accent")
    panel.text(below + 8, 173, "merge", size=12)
    _written(panel, below, 178, merge_parts(*parts), "accent")
    panel.text(below - 76, 205, "both blocks", anchor="end", bold=True)
    panel.text(0, 242, "μ: largest score. ℓ: sum of exp(score − μ).", size=12, colour="muted")
    panel.text(0, 258, "o: average of the values.", size=12, colour="muted")
    return panel


def _written(panel: Panel, middle: float, y: float, part: SoftmaxPart, colour: str) -> None:
    """Write μ, ℓ and o in a box."""
    panel.rectangle(middle - 69, y, 138, 46, colour=colour, strength=0.08)
    panel.text(middle, y + 15, f"μ = {part.largest:g}, ℓ = {part.total:.3f}", anchor="middle", middle=True)
    panel.text(middle, y + 33, f"o = {part.mean[0]:.2f}", anchor="middle", middle=True)


def attention_steps_panel(*, ranks: int, layout: str, title: str, causal: bool = True, width_px: float = 328) -> Panel:
    """Draw which rank computes which pairs of queries and keys in which step of the ring.

    Args:
        ranks: R.
        layout: ``"contiguous"`` or ``"zigzag"``.
        title: above the square.
        causal: whether pairs of a query with a later key are left out.
        width_px: of the panel.

    Returns:
        A square with a row for each chunk of queries and a column for each of keys, in the order of the sequence. A
        cell has the colour of the rank whose keys it is computed with, and "τ" with the number of the step, from 0.
    """
    owner = {chunk: r for r in range(ranks) for chunk in context_rank_chunks(r, ranks=ranks, layout=layout)}
    count, left, top = len(owner), 62.0, 46.0
    cell = (width_px - left - 4) / count
    panel = Panel(width_px, top + count * cell + 4)
    panel.text(0, 13, title, bold=True)
    panel.text(left + count * cell / 2, 30, "keys of rank", anchor="middle", size=12, colour="muted")
    for row in range(count):
        panel.text(left + (row + 0.5) * cell, 43, f"{owner[row]}", anchor="middle", size=12)
        panel.text(
            left - 6,
            top + (row + 0.5) * cell,
            f"{'rank ' if count <= 8 else ''}{owner[row]}",
            anchor="end",
            middle=True,
            size=12,
        )
        for column in range(count):
            x, y, r, keys = left + column * cell, top + row * cell, owner[row], owner[column]
            if causal and column > row:
                panel.rectangles([(x + 1, y + 1, cell - 2, cell - 2)], colour="line", strength=0.15)
                continue
            strength = 0.12 if causal and column == row else 0.35
            panel.rectangle(x + 1, y + 1, cell - 2, cell - 2, colour=rank_colour(keys), strength=strength)
            if causal and column == row:
                panel.line(x + 1, y + 1, x + cell - 1, y + cell - 1, colour=rank_colour(keys))
            label_x = x + cell * (0.32 if causal and column == row else 0.5)
            label_y = y + cell * (0.7 if causal and column == row else 0.5)
            panel.text(label_x, label_y, f"τ{(r - keys) % ranks}", anchor="middle", middle=True, size=12)
    return panel


def exchange_panels(*, ranks: int = 4, heads: int = 4, width_px: float = 330) -> tuple[Panel, Panel]:
    """Draw tokens against heads, in the colours of the ranks that have them, before and after the all-to-all.

    Args:
        ranks: R.
        heads: a multiple of R.
        width_px: of each panel.

    Returns:
        Two panels.
    """
    return (
        _holdings("Outside attention: tokens", ranks, heads, width_px, by_heads=False),
        _holdings("Inside attention: heads", ranks, heads, width_px, by_heads=True),
    )


def _holdings(title: str, ranks: int, heads: int, width_px: float, *, by_heads: bool) -> Panel:
    left, top, row = 92.0, 44.0, 26.0
    panel, cell = Panel(width_px, 44 + ranks * 26 + 6), (width_px - left - 8) / heads
    panel.text(0, 13, title, bold=True)
    for head in range(heads):
        panel.text(left + (head + 0.5) * cell, 36, f"head {head}", anchor="middle", size=12, colour="muted")
    for block in range(ranks):
        panel.text(
            left - 6, top + (block + 0.5) * row, f"tokens {block}", anchor="end", middle=True, size=12, colour="muted"
        )
        for head in range(heads):
            r = head * ranks // heads if by_heads else block
            panel.rectangle(
                left + head * cell + 1,
                top + block * row + 1,
                cell - 2,
                row - 2,
                colour=rank_colour(r),
                label=f"rank {r}",
                strength=0.3,
            )
    return panel
