"""Figures: who holds what in ZeRO's stages."""

from __future__ import annotations

from snippets.domain import one_of, positive_integer, positive_number
from snippets.drawing import Panel
from snippets.memory.recipes import Recipe, recipe_named
from snippets.memory.zero import STAGES, zero_bytes_per_parameter

_LEFT, _TOP, _ROW, _GAP = 52, 42, 22, 5


def stage_panel(
    *, stage: int, ranks: int = 4, recipe: Recipe | str = "mixed-adam", width_px: float = 320, title: str = ""
) -> Panel:
    """Draw one row for each rank: the state that it holds filled, what other ranks hold for it as an empty outline.

    Widths are bytes a parameter.

    Args:
        stage: 0, 1, 2 or 3.
        ranks: rows.
        recipe: a key of ``RECIPES``, or a ``Recipe`` of your own.
        width_px: of the panel.
        title: above the rows; the stage and its bytes if empty.

    Returns:
        The panel.

    Raises:
        ValueError: if an argument is out of its domain.
    """
    stage, ranks = int(one_of("stage", stage, STAGES)), positive_integer("ranks", ranks)
    kept, width = recipe_named(recipe), positive_number("width_px", width_px)
    panel = Panel(width, _TOP + ranks * (_ROW + _GAP))
    each = zero_bytes_per_parameter(ranks=ranks, stage=stage, recipe=kept)
    panel.text(0, 14, title or f"stage {stage}: {float(each):g} bytes a parameter", bold=True)
    scale = (width - _LEFT - 2 * _GAP - 2) / kept.bytes_per_parameter
    x = float(_LEFT)
    parts = ("parameters", "W", kept.parameters, 3), ("gradients", "G", kept.gradient_bytes, 2)
    for kind, name, size, cut_from in (*parts, ("optimizer", "optimizer state", kept.optimizer_bytes, 1)):
        whole = size * scale
        panel.text(x + whole / 2, _TOP - 8, name, anchor="middle")
        for rank in range(ranks):
            y = _TOP + rank * (_ROW + _GAP)
            if stage >= cut_from:
                panel.rectangle(x, y, whole, _ROW, colour="line", strength=0, dashed=True)
                panel.rectangle(x + rank * whole / ranks, y, whole / ranks, _ROW, colour=kind, strength=0.75)
            else:
                panel.rectangle(x, y, whole, _ROW, colour=kind, strength=0.75)
        x += whole + _GAP
    for rank in range(ranks):
        panel.text(0, _TOP + rank * (_ROW + _GAP) + _ROW / 2, f"rank {rank}", middle=True)
    return panel
