"""Figures: what two offers promise on their data sheets, one below the other, beside what they are worth to a job."""

from __future__ import annotations

from collections.abc import Mapping

from snippets.drawing import Panel
from snippets.live.bars import STRENGTH

WIDTH = 560
NARROW = 340


def worth_panel(
    rows: Mapping[str, tuple[float, str]],
    *,
    title: str,
    full: float,
    full_name: str,
    width_px: float = WIDTH,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Panel:
    """Draw bars that begin at one line, and mark a length that all of them are to be compared with.

    Args:
        rows: by name, from top to bottom: a length, above 0, and a colour.
        title: above the picture.
        full: the length that is marked, above 0.
        full_name: what stands beside the mark.
        width_px: width of the picture.
        ranges: by the name of a row, from where to where a thin line over its bar reaches.

    Returns:
        The picture.

    >>> worth_panel({"paper": (547, "idle")}, title="worth", full=512, full_name="512").svg().count("<rect")
    1
    """
    if not rows or min(size for size, _ in rows.values()) <= 0 or full <= 0:
        raise ValueError(f"rows must hold lengths above 0 and full must be above 0, got {rows!r} and {full!r}")
    reach = dict(ranges or {})
    if any(name not in rows or not 0 < low <= high for name, (low, high) in reach.items()):
        raise ValueError(f"ranges must belong to rows and go up from above 0, got {ranges!r}")
    panel = Panel(width_px, 52 + 40 * len(rows))
    panel.text(0, 14, title, bold=True)
    most = max(full, *(size for size, _ in rows.values()), *(high for _, high in reach.values()))
    scale = (width_px - 3) / most
    for place, (name, (size, colour)) in enumerate(rows.items()):
        y = 42 + 40 * place
        panel.text(0, y, f"{name}: {size:,.0f}", size=12)
        panel.rectangle(1, y + 6, size * scale, 14, colour=colour, strength=STRENGTH)
        if name in reach:
            low, high = (1 + end * scale for end in reach[name])
            panel.line(low, y + 13, high, y + 13, colour="ink")
            for end in (low, high):
                panel.line(end, y + 9, end, y + 17, colour="ink")
    at = 1 + full * scale
    for place in range(len(rows)):  # beside the bars alone, so that no name is crossed
        panel.line(at, 45 + 40 * place, at, 65 + 40 * place, colour="communication", dashed=True)
    panel.text(at, 46 + 40 * len(rows), full_name, anchor="end", size=12, colour="communication")
    return panel
