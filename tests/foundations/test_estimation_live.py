"""The live figure of chapter 7 says what the formula gives, and draws at every extreme."""

from __future__ import annotations

from snippets.foundations.estimation import estimation_bytes
from snippets.foundations.estimation_live import estimation_figure
from tests.live.checking import assert_extremes_draw


def test_the_numbers_are_those_of_the_formula() -> None:
    assert f"{estimation_bytes(size_bytes=8, ranks=4):g}" in estimation_figure(ranks=4).numbers


def test_it_draws_at_every_extreme() -> None:
    assert_extremes_draw(estimation_figure)
