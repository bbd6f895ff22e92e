"""The live figure of chapter 37 says what the model of a step and of a rank's memory says."""

from __future__ import annotations

import re

import pytest

from snippets.synthesis.llama_3.cuts import llama_3_cut
from snippets.synthesis.llama_3.live import llama_3_figure


@pytest.mark.parametrize("tensor", ["4", "8", "16"])
@pytest.mark.parametrize("stages", ["8", "16", "32"])
def test_the_numbers_are_those_of_the_cut(tensor: str, stages: str) -> None:
    cut = llama_3_cut(tensor=int(tensor), pipeline=int(stages))
    numbers = llama_3_figure(tensor=tensor, stages=stages).numbers
    said = re.search(r"fit: ([\d.]+) GB of 80.*A step takes ([\d.]+) s", numbers) or re.search(
        r"fits: ([\d.]+) GB of 80.*A step takes ([\d.]+) s", numbers
    )
    assert said
    assert [float(each) for each in said.groups()] == [round(cut.held_bytes / 1e9, 1), round(cut.step.total, 1)]
    assert f"{cut.micro_batches} micro-batches" in numbers
    assert ("It fits" in numbers) == cut.fits


def test_what_cannot_be_dealt_is_said() -> None:
    with pytest.raises(ValueError, match="copies can't share"):
        llama_3_figure(gpus="32768", tensor="2", stages="4")
    with pytest.raises(ValueError, match="more than there are"):
        llama_3_figure(gpus="4096", tensor="16", stages="64", context="16")
