"""Drawings: predicted against measured seconds of every step in the table, a panel for each source."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets.composition.configuration_search.judged import judged_groups
from snippets.domain import each, positive_number, text
from snippets.drawing import Panel

WIDTH, HEIGHT = 165.0, 196.0
_LEFT, _TOP, _SIDE = 12.0, 38.0, 136.0
_SOURCES = (
    "vTrain 3.6B",
    "vTrain 39.1B",
    "vTrain one node",
    "Megatron 20",
    "MLPerf",
    "Megatron Bridge",
    "NeMo Launcher",
    "torchtitan",
    "Llama 3 paper",
)
_SHOWN = {"Megatron 20": "Megatron-LM papers"}


def judged_points() -> dict[str, list[tuple[float, float]]]:
    """Return the measured and the predicted seconds of all rows, by their source.

    Returns:
        Source → pairs of measured and predicted seconds.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for group, rows in judged_groups().items():
        source = next((each for each in _SOURCES if group.startswith(each)), group)
        points = found.setdefault(_SHOWN.get(source, source), [])
        points += [(row.seconds, row.predicted().total) for row in rows]
    return found


def judged_panels(points: Mapping[str, Sequence[tuple[float, float]]]) -> list[Panel]:
    """Return a panel for each source: a dot for each step, measured to the right and predicted upwards.

    Args:
        points: source → pairs of measured and predicted seconds, at least one for each.

    >>> len(judged_panels({"mine": [(1.0, 1.1)]}))
    1
    """
    if not isinstance(points, Mapping):
        raise ValueError(f"points must go from sources to pairs of seconds, got {points!r}")
    return [_panel(text("points", source), list(each("points", pairs, _pair))) for source, pairs in points.items()]


def _pair(name: str, pair: tuple[float, float]) -> tuple[float, float]:
    measured, predicted = pair
    return positive_number(name, measured), positive_number(name, predicted)


def _panel(source: str, pairs: list[tuple[float, float]]) -> Panel:
    low = min(min(pair) for pair in pairs) / 1.25
    high = max(max(pair) for pair in pairs) * 1.25
    scale = _SIDE / math.log(high / low)

    def across(seconds: float) -> float:
        return _LEFT + scale * math.log(seconds / low)

    def up(seconds: float) -> float:
        return _TOP + _SIDE - scale * math.log(seconds / low)

    panel = Panel(WIDTH, HEIGHT)
    panel.text(0, 12, source, size=12, bold=True)
    panel.text(0, 28, f"{len(pairs)} {'step' if len(pairs) == 1 else 'steps'}", size=12, colour="muted")
    panel.curve([(_LEFT, _TOP), (_LEFT, _TOP + _SIDE), (_LEFT + _SIDE, _TOP + _SIDE)], colour="line", width=1)
    panel.curve([(across(low), up(low)), (across(high), up(high))], colour="muted", width=1)
    shift = scale * math.log(1.1)
    for sign in (-1, 1):  # a tenth too fast, a tenth too slow
        panel.curve(
            [
                (across(low) + max(0, sign) * shift, up(low) - max(0, -sign) * shift),
                (across(high) + min(0, sign) * shift, up(high) - min(0, -sign) * shift),
            ],
            colour="idle",
            width=1,
            dashed=True,
        )
    radius = 1.4 if len(pairs) > 200 else 2.2
    panel.dots([(across(measured), up(predicted)) for measured, predicted in pairs], colour="forward", radius=radius)
    panel.text(_LEFT, HEIGHT - 8, _seconds(low * 1.25), size=12, colour="muted")
    panel.text(_LEFT + _SIDE, HEIGHT - 8, _seconds(high / 1.25), size=12, colour="muted", anchor="end")
    return panel


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
