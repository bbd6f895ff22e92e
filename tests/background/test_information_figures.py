"""The pictures show the numbers that they were given, with their names."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from snippets.background.information_figures import (
    coin_plot,
    loss_split_plot,
    rate_plot,
    training_bits_plot,
    wrong_coin_plot,
)
from snippets.figures import svg_of


def texts(svg: str) -> str:
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return " | ".join(element.text or "" for element in found)


def test_coins_carry_their_entropy() -> None:
    shown = texts(svg_of(coin_plot(marked=(0.5, 0.9, 0.2))))
    for label in ("p = 0.5: 1.00 bits", "p = 0.9: 0.47 bits", "p = 0.2: 0.72 bits"):
        assert label in shown


def test_the_wrong_coin_names_its_parts() -> None:
    shown = texts(svg_of(wrong_coin_plot(p=0.3)))
    for label in ("H(p) = 0.88 bits", "D(p‖q)", "H(p, q)"):
        assert label in shown


def test_the_loss_stands_on_its_floor() -> None:
    shown = texts(svg_of(loss_split_plot([0, 1, 10, 100], [3.0, 2.5, 2.0, 1.8], floor=1.625)))
    for label in ("H(Y|X) = 1.62 nats", "D: left to learn", "loss", "training step", "100"):
        assert label in shown


def test_rates_and_runs_name_their_curves() -> None:
    shown = texts(svg_of(rate_plot({"start": [(1, 2.0), (2, 3.0)], "end": [(4, 4.0)]})))
    for label in ("start", "end", "normal numbers", "h − log2 Δ", "bits per number"):
        assert label in shown
    curves = {"relative": [4.0, 5.0], "fixed": [4.0, 3.5], "told": [2.0, 0.1]}
    shown = texts(svg_of(training_bits_plot([0, 1000], curves, title="a run")))
    for label in ("relative", "fixed", "told", "a run", "1,000"):
        assert label in shown


def test_refusals() -> None:
    with pytest.raises(ValueError, match="marked"):
        coin_plot(marked=(1.5,))
    with pytest.raises(ValueError, match="p must be above 0 and below 1, got 1"):
        wrong_coin_plot(p=1)
    with pytest.raises(ValueError, match="floor"):
        loss_split_plot([0, 1], [1.0, 1.0], floor=-1)
    with pytest.raises(ValueError, match="losses"):
        loss_split_plot([0, 1], [1.0, float("nan")], floor=0.5)
