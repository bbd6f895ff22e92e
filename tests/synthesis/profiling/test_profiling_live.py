"""The live figure of chapter 35 says what the formula gives."""

from __future__ import annotations

from snippets.synthesis.profiling.formulas import profiling_bytes
from snippets.synthesis.profiling.live import profiling_figure


def test_the_numbers_are_those_of_the_formula() -> None:
    assert f"{profiling_bytes(size_bytes=8, ranks=4):g}" in profiling_figure(ranks=4).numbers
