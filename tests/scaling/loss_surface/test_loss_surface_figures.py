"""The pictures of chapter 8 show as many dots and bars as there are runs and falls, and their texts fit."""

from __future__ import annotations

import re

import numpy as np
import pytest

from snippets.drawing import Panel
from snippets.scaling.loss_surface import figures as pictures
from snippets.scaling.loss_surface.compute_law import ComputeLaw, compute_law_loss_nats
from tests.live.checking import assert_texts_fit

FLOPS, LOSSES = [1e18, 3e18, 1e19, 3e19, 1e20], [3.5, 3.2, 2.933, 2.725, 2.547]
LINE, FLOOR = ComputeLaw(0.0, 2.96, 0.069, 1e19), ComputeLaw(1.724, 1.776, 0.167, 1e18)


def dots(panel: Panel) -> int:
    assert_texts_fit(panel.svg())
    return len(re.findall(r"M[\d. ]+h0", panel.svg()))


def test_a_ladder_has_a_dot_a_run() -> None:
    assert dots(pictures.question_panel(FLOPS, LOSSES, target_flops=1e21, wanted_nats=2.247)) == 5
    drops = [0.567, 0.386, 0.263, 0.179, 0.122, 0.083]
    first, second = pictures.extended_panels(FLOPS, LOSSES, line=LINE, floor=FLOOR, farthest_flops=1e24, drops=drops)
    assert (dots(first), dots(second)) == (5, 0)
    heights = [float(height) for height in re.findall(r'<rect [^>]*height="([\d.]+)"', second.svg())]
    assert [height / heights[0] for height in heights] == pytest.approx([drop / drops[0] for drop in drops], abs=1e-3)
    band = [
        (10.0**power, 3.4 - 0.2 * (power - 18), 3.5 - 0.2 * (power - 18), 3.45 - 0.2 * (power - 18))
        for power in range(18, 25)
    ]
    assert dots(pictures.band_panel(FLOPS, LOSSES, band=band, middle_losses=[loss + 0.01 for loss in LOSSES])) == 5


def test_a_split_loss_adds_up_and_the_bend_and_the_price_are_drawn() -> None:
    named = dict(zip("abcde", LOSSES, strict=True))
    bars = pictures.split_panel(named, floor_nats=1.75)
    assert_texts_fit(bars.svg())
    heights = [float(height) for height in re.findall(r'<rect [^>]*height="([\d.]+)"', bars.svg())]
    whole = [heights[0] + above for above in heights[1:]]
    assert [tall / whole[0] for tall in whole] == pytest.approx([loss / 3.5 for loss in LOSSES], abs=2e-3)
    assert re.findall(r">(\d+)%<", bars.svg()) == ["50", "45", "40", "36", "31"]
    bend = pictures.bend_panel(FLOPS, LOSSES, line=LINE, floor=FLOOR, noise=0.0035)
    assert dots(bend) == 5
    assert len(re.findall(r'<line [^>]*class="l-communication"', bend.svg())) == 2 * 5  # crosses
    price = pictures.price_panel(FLOOR, gain_nats=0.01, marked_flops=[1e21, 1e24])
    assert dots(price) == 2
    for flops, written in zip((1e21, 1e24), re.findall(r">(\d+)%<", price.svg()), strict=True):
        before, after = (compute_law_loss_nats(C, law=FLOOR) for C in (flops, flops * (1 + int(written) / 100)))
        assert before - after == pytest.approx(0.01, rel=0.05)


def test_slices_are_curves_and_errors_are_dots() -> None:
    slices = pictures.slice_panels("refit", budgets={"low": 1e18, "high": 1e20}, tokens={"few": 1e9, "∞": 1e60})
    for panel, ladder in zip(slices, (0, 2), strict=True):
        assert dots(panel) == ladder
        assert len(re.findall(r"<path", panel.svg())) >= 2
    errors = {"squares": [0.001, 0.055, -0.01], "Huber": [0.0, 0.062, -0.004]}
    cost, left = pictures.error_panels({"squares": 1, "Huber": 0.005}, errors, failed=1)
    assert (dots(cost), dots(left)) == (0, 6)


def test_a_histogram_and_a_published_ladder() -> None:
    values = np.random.default_rng(0).normal(2.3, 0.01, 100).tolist()
    marks = {"asked for:": 2.247, "fit:": 2.303}
    panel = pictures.histogram_panel(values, low=2.24, high=2.34, middle=(2.29, 2.31), marks=marks, title="T")
    assert_texts_fit(panel.svg())
    first, second = pictures.ladder_panels(
        list("abcde"),
        FLOPS,
        [loss / 1.4 for loss in LOSSES],
        line=ComputeLaw(0.0, 2.1, 0.069, 1e19),
        floor=ComputeLaw(1.23, 1.27, 0.167, 1e18),
        fitted=4,
        noise=0.0035,
    )
    assert (dots(first), dots(second)) == (5, 5)
    assert len(re.findall(r'<line [^>]*class="l-communication"', second.svg())) == 2 * 5  # crosses
