"""Rows of bars are as long as their numbers say, and what cannot be drawn is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars


def drawn(bars: list[Bar], **settings: Any) -> list[tuple[float, float]]:
    """Return where each part starts and how wide it is."""
    panel = Panel(340, 100)
    draw_bars(panel, bars, top=20, **settings)
    return [(float(x), float(wide)) for x, wide in re.findall(r'<rect x="([\d.]+)"[^>]* width="([\d.]+)"', panel.svg())]


def test_parts_lie_behind_each_other_on_one_scale() -> None:
    bars = [Bar("a", [(6, "idle"), (2, "forward")]), Bar("b", [(0, "idle"), (4, "forward")])]
    assert drawn(bars, wide=320, left=0) == [(0, 240), (240, 80), (0, 160)]


def test_nothing_is_drawn_for_nothing_unless_a_least_width_is_given() -> None:
    bars = [Bar("a", [(8, "idle")]), Bar("b", [(0, "idle")])]
    assert drawn(bars, wide=320, left=0) == [(0, 320)]
    assert drawn(bars, wide=320, left=0, least=1) == [(0, 320), (0, 1)]


@pytest.mark.parametrize("bars", [[], [Bar("a", [(0, "idle")])], [Bar("a", [(-1, "idle"), (2, "idle")])]])
def test_bars_without_length_are_refused(bars: list[Bar]) -> None:
    with pytest.raises(ValueError, match=r"bars(\[0\])? must"):
        draw_bars(Panel(340, 100), bars, top=20)
