"""The live figure of chapter 31 says what the formula gives."""

from __future__ import annotations

from snippets.efficiency.local_sgd.formulas import local_sgd_bytes
from snippets.efficiency.local_sgd.live import local_sgd_figure


def test_the_numbers_are_those_of_the_formula() -> None:
    assert f"{local_sgd_bytes(size_bytes=8, ranks=4):g}" in local_sgd_figure(ranks=4).numbers
