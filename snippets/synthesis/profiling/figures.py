"""Figures: TO WRITE: what the chapter's pictures show."""

from __future__ import annotations

from snippets.drawing import Panel


def profiling_panel() -> Panel:
    """Return a drawing of TO WRITE: what."""
    panel = Panel(330, 60)
    panel.text(10, 30, "TO WRITE: the chapter's first picture")
    return panel
