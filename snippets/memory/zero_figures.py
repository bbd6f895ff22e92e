"""Figures: who holds what in ZeRO's stages, and how its gathers overlap with the computation."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.domain import one_of, positive_integer, positive_number
from snippets.drawing import Panel
from snippets.memory.recipes import RECIPES, Recipe
from snippets.memory.unit_overlap import UnitTimes
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
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.
        width_px: of the panel.
        title: above the rows; the stage and its bytes if empty.

    Returns:
        The panel.
    """
    stage, ranks = int(one_of("stage", stage, STAGES)), positive_integer("ranks", ranks)
    kept, width = RECIPES.find(recipe), positive_number("width_px", width_px)
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


def overlap_panel(units: Sequence[UnitTimes], *, title: str, scale_s: float, width_px: float = 320) -> Panel:
    """Draw the gathers and the runs of a forward pass as two lanes of blocks, with the end of the pass.

    Args:
        units: from ``overlapped_units``.
        title: above the lanes.
        scale_s: seconds across the panel, the same for panels that are to be compared.
        width_px: of the panel.

    Returns:
        The panel.

    Raises:
        ValueError: if there are no units, or a number is out of its domain.
    """
    if not units:
        raise ValueError(f"units must hold at least one, got {units!r}")
    width, left, row = positive_number("width_px", width_px), 54.0, 24.0
    scale = (width - left - 4) / positive_number("scale_s", scale_s)
    panel = Panel(width, 22 + 2 * (row + 4) + 20)
    panel.text(0, 14, title, bold=True)
    for lane, (name, hue) in enumerate((("gather", "communication"), ("run", "forward"))):
        y = 22 + lane * (row + 4)
        panel.text(0, y + row / 2, name, middle=True)
        for number, unit in enumerate(units):
            start, end = (unit.run_start_s, unit.run_end_s) if lane else (unit.gather_start_s, unit.gather_end_s)
            wide = (end - start) * scale
            label = str(number) if wide >= 10 else ""
            panel.rectangle(left + start * scale, y, wide, row, colour=hue, label=label)
    end_s = units[-1].run_end_s
    panel.text(left + end_s * scale, 22 + 2 * (row + 4) + 12, f"{end_s:.1f}", anchor="end")
    return panel
