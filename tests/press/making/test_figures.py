"""A figure that is wider than a phone scrolls there if its texts could not be read when it is made smaller."""

from __future__ import annotations

import pytest

from press.making.figures import _is_wide
from snippets.drawing import Panel
from snippets.figures import plot, svg_of


@pytest.mark.parametrize(
    ("width", "size", "wide"),
    [(350, 12, False), (400, 13, False), (470, 13, True), (470, 15.5, False), (690, 15.5, True)],
)
def test_a_panel_scrolls_if_its_texts_would_be_too_small(width: int, size: float, wide: bool) -> None:
    panel = Panel(width, 40)
    panel.text(0, 20, "a text", size=size)
    assert _is_wide(panel.svg()) == wide


@pytest.mark.parametrize(("size", "wide"), [(12.5, True), (15.5, False)])
def test_a_plot_scrolls_if_its_smallest_text_would_be_too_small(size: float, wide: bool) -> None:
    with plot(width_px=470, height_px=200) as (figure, axes):
        axes.tick_params(labelsize=size)
        axes.set_xlabel("across", fontsize=15.5)
        svg = svg_of(figure)
    assert _is_wide(svg) == wide
