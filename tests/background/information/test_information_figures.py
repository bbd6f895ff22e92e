"""The pictures show the numbers that they were given, with their names."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from snippets.background.information.figures import (
    code_sizes_panel,
    code_tree_panel,
    coding_rate_plot,
    huffman_panels,
    loss_split_plot,
    sending_panel,
    surprise_panel,
    training_bits_plot,
)
from snippets.drawing import Panel
from snippets.figures import svg_of


def texts(svg: str) -> str:
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return " | ".join(element.text or "" for element in found)


EIGHT = {"0": 4, "−1": 2, "1": 1, "2": 1}


def boxes(panel: Panel) -> list[tuple[float, ...]]:
    """Return x, y, width and height of the rectangles, in the order of drawing."""
    root = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", panel.svg()))
    return [tuple(float(box.get(side, 0)) for side in ("x", "y", "width", "height")) for box in root.iter("rect")]


def test_the_tree_s_blocks_share_out_its_height() -> None:
    panel = code_tree_panel(EIGHT)
    shown = texts(panel.svg())
    for label in ("0 → 0", "−1 → 10", "1 → 110", "2 → 111", "4 of 8", "1 of 8"):
        assert label in shown
    blocks = boxes(panel)
    whole = sum(height for *_, height in blocks)
    assert [height / whole for *_, height in blocks] == pytest.approx([0.5, 0.25, 0.125, 0.125], abs=1e-3)
    for (_, y, _, height), (_, below, _, _) in itertools.pairwise(blocks):
        assert y + height == pytest.approx(below, abs=0.2)


def test_symbols_stand_on_the_curve_of_information() -> None:
    shown = texts(surprise_panel(EIGHT).svg())
    for label in ("0: 1 bit", "−1: 2 bits", "1 and 2: 3 bits"):
        assert label in shown


def test_each_merge_adds_the_two_lightest_weights() -> None:
    shown = [texts(panel.svg()) for panel in huffman_panels({"a": 4, "b": 3, "c": 3, "d": 2, "e": 1})]
    sums = ["2 + 1 = 3", "3 + 3 = 6", "4 + 3 = 7", "7 + 6 = 13"]
    assert len(shown) == 4
    assert all(wanted in found for wanted, found in zip(sums, shown, strict=True))
    assert "d, e" in shown[1]
    assert "a, d, e" in shown[3]


def test_bars_are_as_long_as_the_bits_on_one_axis() -> None:
    fine, coarse = {"raw": 16.0, "coded": 4.0}, {"raw": 16.0, "coded": 2.0}
    panel = code_sizes_panel({"fine": (fine, 3.9), "coarse": (coarse, 1.5)})
    widths = [width for _, _, width, _ in boxes(panel)]
    assert [width / widths[0] for width in widths] == pytest.approx([1, 1 / 4, 1, 1 / 8], abs=2e-3)
    assert "entropy 3.9" in texts(panel.svg())
    assert "entropy 1.5" in texts(panel.svg())


def test_chunks_are_drawn_when_they_are_sent() -> None:
    panel = sending_panel({"one way": [[(0.0, 0.1)], [(0.1, 0.3)], [(0.3, 0.4)]]}, last_s=0.4)
    drawn = [
        tuple(map(float, box))
        for found in re.findall(r' d="(M[^"]*)"', panel.svg())
        for box in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v", found)
    ]
    assert [round(width / drawn[0][2], 2) for _, _, width in drawn] == [1, 2, 1]
    for (x, _, width), (following, _, _) in itertools.pairwise(drawn):
        assert x + width == pytest.approx(following, abs=0.2)


def test_the_loss_stands_on_its_floor() -> None:
    shown = texts(svg_of(loss_split_plot([0, 1, 10, 100], [3.0, 2.5, 2.0, 1.8], floor=1.625)))
    for label in ("H(U|G) = 1.62 nats", "KL: left to learn", "loss", "training step", "100"):
        assert label in shown


def test_rates_and_runs_name_their_curves() -> None:
    shown = texts(svg_of(coding_rate_plot({"start": [(1, 2.0), (2, 3.0)], "end": [(4, 4.0)]})))
    for label in ("start", "end", "normal numbers", "log2 σ/Δ + 2.05", "bits per number"):
        assert label in shown
    curves = {"relative": [4.0, 5.0], "fixed": [4.0, 3.5], "told": [2.0, 0.1]}
    shown = texts(svg_of(training_bits_plot([0, 1000], curves, title="a run")))
    for label in ("relative", "fixed", "told", "a run", "1,000"):
        assert label in shown


def test_refusals() -> None:
    with pytest.raises(ValueError, match="counts must hold two symbols or more"):
        huffman_panels({"a": 1})
    with pytest.raises(ValueError, match=r"counts\[a\]"):
        code_tree_panel({"a": 0, "b": 1})
    with pytest.raises(ValueError, match="floor"):
        loss_split_plot([0, 1], [1.0, 1.0], floor=-1)
    with pytest.raises(ValueError, match="losses"):
        loss_split_plot([0, 1], [1.0, float("nan")], floor=0.5)
