"""Drawings: rows of bars from a common start, each with its name and number above it, and a key to their colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snippets.domain import each, nonnegative_number, number_between, text
from snippets.drawing import MOST_PX, Panel

STRENGTH = 0.5


class Bar(NamedTuple):
    """A bar: its name, its parts from left to right as (length, colour), and what stands above its right end."""

    name: str
    parts: Sequence[tuple[float, str]]
    said: str = ""


def draw_bars(
    panel: Panel,
    bars: Sequence[Bar],
    *,
    top: float,
    pitch: float = 42,
    high: float = 16,
    gap: float = 5,
    left: float = 1,
    wide: float = 337,
    least: float = 0,
) -> None:
    """Draw bars on one scale below each other, the name of each above it.

    Args:
        panel: to draw on.
        bars: from top to bottom; lengths are in any unit, at least 0.
        top: baseline of the first name, at least 0, in pixels as all that follows.
        pitch: from one name to the next, at least 0.
        high: of a bar, at least 0.
        gap: from a name's baseline to its bar, at least 0.
        left: where bars start, at least 0.
        wide: of the longest bar, at least 0.
        least: how wide a part is drawn at least; with 0 a part of length 0 is left out.

    Raises:
        TypeError: ``panel`` is no panel.
        ValueError: there is no bar, all lengths are 0, or a number is not finite or below 0.

    >>> panel = Panel(340, 100)
    >>> bars = [Bar("ring", [(3, "idle"), (9, "communication")], "12 ms"), Bar("tree", [(4, "idle")], "4 ms")]
    >>> draw_bars(panel, bars, top=30)
    >>> panel.svg().count("<rect")
    3
    """
    top, pitch, high, gap = _places(top=top, pitch=pitch, high=high, gap=gap)
    left, wide, least = _places(left=left, wide=wide, least=least)
    sums = each("bars", bars, _length)
    if not any(sums):
        raise ValueError(f"bars must hold a length above 0, got {bars!r}")
    _panel(panel)
    scale = wide / max(sums)
    for number, bar in enumerate(bars):
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
        step: from one square to the next, at least 0, in pixels as all that follows.
        left: where the first square starts, at least 0.
        top: its upper edge, at least 0.
        strength: as the bars have it, from 0 to 1.

    Raises:
        TypeError: ``panel`` is no panel.
        ValueError: ``names`` is no mapping of colours, or a number is out of its range.

    >>> panel = Panel(340, 20)
    >>> draw_key(panel, {"forward": "arithmetic", "communication": "communication"}, step=150)
    >>> panel.svg().count("<rect")
    2
    """
    step, left, top = _places(step=step, left=left, top=top)
    if not isinstance(names, Mapping):
        raise ValueError(f"names must go from colours to names, got {names!r}")
    _panel(panel)
    for place, (colour, name) in enumerate(names.items()):
        panel.rectangle(left + step * place, top, 12, 12, colour=colour, strength=strength)
        panel.text(left + step * place + 18, top + 10, text("names", name), size=12)


def _length(name: str, bar: Bar) -> float:
    """Return the sum of a bar's parts, or raise ``ValueError``."""
    if not isinstance(bar, Bar):
        raise ValueError(f"{name} must be a Bar, got {bar!r}")
    return sum(nonnegative_number(name, length) for length, _ in bar.parts)


def _places(**places: float) -> list[float]:
    return [number_between(name, place, low=0, high=MOST_PX) for name, place in places.items()]


def _panel(panel: Panel) -> None:
    if not isinstance(panel, Panel):
        raise TypeError(f"panel must be a Panel, got {panel!r}")
