"""The pictures of chapter 2 show what they were given."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.lines import Line2D

from snippets.figures import svg_of
from snippets.foundations.roofline.figures import clocks_panel, cut_panel, roofline_plot, shared_plot, tile_panels
from tests.live.checking import assert_texts_fit

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def widths(svg: str, colour: str) -> list[float]:
    found = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [float(element.get("width", "")) for element in found if element.get("class") == f"b-{colour}"]


def drawn(line: Line2D) -> tuple[list[float], list[float]]:
    """Return where a line of a plot goes, as across and up."""
    return np.asarray(line.get_xdata(), dtype=float).tolist(), np.asarray(line.get_ydata(), dtype=float).tolist()


def test_bars_are_as_long_as_operations_and_bytes_take() -> None:
    svg = clocks_panel((1, 4, 20), k=8, n=8, peak_flops_per_s=128e6, bandwidth_bytes_per_s=16e6).svg()
    assert_texts_fit(svg)
    operations, weights, rest = (np.array(widths(svg, name)) for name in ("forward", "parameters", "activations"))
    second = weights[0] / 8  # 64 weights of 2 bytes at 16 MB/s take 8 µs
    assert operations / second == pytest.approx([1, 4, 20], rel=0.01)
    assert weights == pytest.approx([weights[0]] * 3)
    assert rest / second == pytest.approx([2, 8, 40], rel=0.01)
    assert {"20 tokens", "20 µs", "48 µs", "weights 8 µs"} <= set(texts(svg))
    mark = re.search(r'<line x1="([\d.]+)"[^>]*class="l-parameters"', svg)
    assert mark
    assert float(mark[1]) == pytest.approx(86 + weights[0], abs=0.1)


def test_the_roof_bends_at_its_ridge_and_points_stand_where_they_were_put() -> None:
    figure = roofline_plot(
        {"low": (1.0, 2e12), "high": (100.0, 50e12)},
        measured={"seen": (1.0, 1e12)},
        peak_flops_per_s=50e12,
        bandwidth_bytes_per_s=2e12,
        across=(0.1, 1000),
    )
    roof, ridge, *dots = figure.axes[0].lines
    assert (drawn(roof)[0][1], drawn(roof)[1][1:]) == (25, [50, 50])
    assert drawn(ridge) == ([25], [50])
    assert [drawn(dot) for dot in dots] == [([1], [2]), ([100], [50]), ([1], [1])]
    assert {"low", "high", "seen", "ridge point 25"} <= set(texts(svg_of(figure)))


def test_a_shared_matmul_is_between_the_longest_time_and_the_sum() -> None:
    figure = shared_plot(
        m=10,
        k=40,
        n=5,
        peak_flops_per_s=1e6,
        memory_bytes_per_s=1e9,
        network_bytes_per_s=1e6,
        ranks=(1, 2, 4),
        marked=(4,),
    )
    in_turn, overlapped, compute, send = map(drawn, figure.axes[0].lines)
    assert compute == ([1, 2, 4], [4000, 2000, 1000])
    assert send == ([1, 2, 4], [0, 100, 150])
    assert overlapped[1] == [4000, 2000, 1000]
    assert in_turn[1] == [4000, 2100, 1150]
    assert {"1150", "1000"} <= set(texts(svg_of(figure)))


def test_a_cut_along_k_is_drawn_in_two_ranks_colours() -> None:
    svg = cut_panel().svg()
    assert_texts_fit(svg)
    assert len(widths(svg, "rank-0")) == len(widths(svg, "rank-1")) == 12
    assert len(widths(svg, "ink")) == 4


def test_tiles_and_strips_are_as_large_as_they_are() -> None:
    svg = tile_panels([(2, 4)], m=8, n=8, k=3)[0].svg()
    assert_texts_fit(svg)
    assert len(widths(svg, "forward")) == 8
    assert widths(svg, "forward")[0] == 4 * 17
    assert widths(svg, "parameters") == [4 * 17]
    strip = re.search(r'width="([\d.]+)" height="([\d.]+)" class="b-activations"', svg)
    assert strip
    assert (float(strip[1]), float(strip[2])) == (3 * 17, 2 * 17)
    assert any("8 × 3" not in text and "208 elements" in text for text in texts(svg))
