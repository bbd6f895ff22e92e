"""The live figure of chapter 39 says what the formulas give."""

from __future__ import annotations

from typing import Any

from snippets.synthesis.mistral.formulas import decode_step
from snippets.synthesis.mistral.live import decode_figure


def test_the_numbers_are_those_of_the_formula() -> None:
    rates = {"memory_bytes_per_s": 3.35e12, "flops_per_s": 0.65 * 989.4e12}
    for requests, context, ranks in ((1, 256, 1), (16, 2048, 4), (2048, 256, 8)):
        size: dict[str, Any] = {"batch": requests, "context": context, "ranks": ranks, **rates}
        times = [decode_step(name, **size).total_s for name in ("Llama 2 70B", "Mixtral 8x7B")]
        words = decode_figure(requests=requests, context=context, ranks=str(ranks)).numbers
        assert f"{times[0] / times[1]:.2f} times as fast" in words
        assert f"{8 * (1 - 0.75**requests):.2f} of 8" in words


def test_a_window_keeps_more_requests_of_long_documents_alone() -> None:
    words = decode_figure(requests=8, context=32_768, ranks="1").numbers
    assert "107 for Mistral 7B with its window and 13 without" in words
