"""Drawings: rows of bars from a common start, each with its name and number above it, and a key to their colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from snippets.domain import nonnegative_number, positive_number
from snippets.drawing import Panel

STRENGTH = 0.5


class Bar(NamedTuple):
    """A bar: its name, its parts from left to right as (length, colour), and what stands above its right end."""

    name: str
    parts: Sequence[tuple[float, str]]
    said: str = ""


def draw_bars(
    panel: Panel,
    bars: Iterable[Bar],
    *,
    top: float,
    pitch: float = 42,
    high: float = 16,
    gap: float = 5,
    left: float = 1,
    wide: float | None = None,
    least: float = 0,
) -> None:
    """Draw bars on one scale below each other, the name of each above it.

    Args:
        panel: to draw on.
        bars: from top to bottom; lengths are in any unit, at least 0.
        top: baseline of the first name, in pixels, as all that follows.
        pitch: from one name to the next.
        high: of a bar.
        gap: from a name's baseline to its bar.
        left: where bars start.
        wide: of the longest bar; ``None`` ends it at the panel's right edge.
        least: how wide a part is drawn at least; with 0 a part of length 0 is left out.

    Raises:
        ValueError: there is no bar, all lengths are 0, or one is no finite number of at least 0.

    >>> panel = Panel(340, 100)
    >>> bars = [Bar("ring", [(3, "idle"), (9, "communication")], "12 ms"), Bar("tree", [(4, "idle")], "4 ms")]
    >>> draw_bars(panel, bars, top=30)
    >>> panel.svg().count("<rect")
    3
    """
    rows = list(bars)
    sums = [sum(nonnegative_number("bars", length) for length, _ in bar.parts) for bar in rows]
    if not any(sums):
        raise ValueError(f"bars must hold a length above 0, got {rows!r}")
    wide = panel.width - 3 if wide is None else positive_number("wide", wide)
    scale = wide / max(sums)
    for number, bar in enumerate(rows):
        y = top + pitch * number
        panel.text(0, y, bar.name, size=12)
        if bar.said:
            panel.text(panel.width, y, bar.said, anchor="end", size=12, bold=True)
        x = left
        for length, colour in bar.parts:
            if part := max(least, length * scale):
                panel.rectangle(x, y + gap, part, high, colour=colour, strength=STRENGTH)
            x += length * scale


def draw_key(
    panel: Panel, names: Mapping[str, str], *, step: float, left: float = 1, top: float = 3, strength: float = STRENGTH
) -> None:
    """Write what colours mean, side by side: a square of each with its name behind it.

    Args:
        panel: to draw on.
        names: by colour.
        step: from one square to the next, in pixels.
        left: where the first square starts.
        top: its upper edge.
        strength: as the bars have it, from 0 to 1.

    >>> panel = Panel(340, 20)
    >>> draw_key(panel, {"forward": "arithmetic", "communication": "communication"}, step=150)
    >>> panel.svg().count("<rect")
    2
    """
    for place, (colour, name) in enumerate(names.items()):
        panel.rectangle(left + step * place, top, 12, 12, colour=colour, strength=strength)
        panel.text(left + step * place + 18, top + 10, name, size=12)
