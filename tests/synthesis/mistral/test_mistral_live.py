"""The live figure of chapter 39 says what the formula gives."""

from __future__ import annotations

from snippets.synthesis.mistral.formulas import mistral_bytes
from snippets.synthesis.mistral.live import mistral_figure


def test_the_numbers_are_those_of_the_formula() -> None:
    assert f"{mistral_bytes(size_bytes=8, ranks=4):g}" in mistral_figure(ranks=4).numbers
