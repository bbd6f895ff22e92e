"""The pictures of chapter 2 show what they were given."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.lines import Line2D

from snippets.figures import svg_of
from snippets.foundations.roofline.cpu_roofline import recorded_cpu
from snippets.foundations.roofline.figures import clocks_panel, measured_plot, roofline_plot, tile_panels
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
    svg = clocks_panel((1, 4, 20), k=8, n=8, peak_flops_per_s=128, bandwidth_bytes_per_s=16).svg()
    assert_texts_fit(svg)
    operations, weights, rest = (np.array(widths(svg, name)) for name in ("forward", "parameters", "activations"))
    second = weights[0] / 8  # 64 weights of 2 bytes at 16 bytes/s
    assert operations / second == pytest.approx([1, 4, 20], rel=0.01)
    assert weights == pytest.approx([weights[0]] * 3)
    assert rest / second == pytest.approx([2, 8, 40], rel=0.01)
    assert "m = 20: operations 20 s, bytes 48 s" in texts(svg)


def test_roofs_bend_at_their_ridges_and_points_stand_where_they_were_put() -> None:
    points = {"low": (1.0, 2e12), "high": (100.0, 50e12)}
    figure = roofline_plot(
        points, {"one": 2e12, "other": 1e12}, peak_flops_per_s=50e12, across=(0.1, 1000), label="FLOP per byte"
    )
    lines = figure.axes[0].lines
    for line, ridge in ((lines[0], 25), (lines[2], 50)):
        across, up = drawn(line)
        assert (across[1], up[1:]) == (ridge, [50, 50])
    assert [drawn(line) for line in lines[4:]] == [([1], [2]), ([100], [50])]
    assert {"low", "high", "25.0", "50.0"} <= set(texts(svg_of(figure)))


def test_the_recorded_run_is_plotted_as_it_is() -> None:
    run = recorded_cpu()
    figure = measured_plot(run)
    roof, *kinds = figure.axes[0].lines
    assert drawn(roof)[1][-1] == pytest.approx(run.peak_flops_per_s / 1e9)
    plotted = sorted(place for line in kinds for place in zip(*drawn(line), strict=True))
    expected = sorted((it.flops_per_byte, it.flops_per_s / 1e9) for it in run.operations if it.flops)
    assert np.allclose(plotted, expected)
    rows = {entry.name.split(" × ")[0] for entry in run.operations if entry.kind == "layer"}
    assert {f"{int(row):,}" for row in rows} <= set(texts(svg_of(figure)))


def test_tiles_and_strips_are_as_large_as_they_are() -> None:
    svg = tile_panels([(2, 4)], m=8, n=8, k=3)[0].svg()
    assert_texts_fit(svg)
    assert len(widths(svg, "forward")) == 8
    assert widths(svg, "forward")[0] == 4 * 17
    assert widths(svg, "parameters") == [4 * 17]
    strip = re.search(r'width="([\d.]+)" height="([\d.]+)" class="b-activations"', svg)
    assert strip
    assert (float(strip[1]), float(strip[2])) == (3 * 17, 2 * 17)
    assert any("8 × 3" not in text and "208 numbers" in text for text in texts(svg))
