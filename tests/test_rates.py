"""The table of rates in docs/conventions.md, against the shares that the book's functions count on."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets.composition.step_constants import MEGATRON_A100, device_constants, job_constants
from snippets.job import THE_70B

PAGE = Path(__file__).parents[1] / "docs" / "conventions.md"
SHARES_BY_ROW = {
    "| a GPU's 16-bit peak, in the mean of a run's steps |": THE_70B.utilization,
    "| the same, while matmuls run |": THE_70B.matmul_utilization,
    "| the same, in attention |": job_constants(THE_70B).attention_share,
    "| | 50% | [planner]": device_constants("H100 SXM").attention_share,
    "| the same, by the best of many shapes |": device_constants("H100 SXM").matmul_share,
    "| | 67% on a B200 |": device_constants("GB200", "fp8").matmul_share,
    "| a GPU's FP8 peak |": job_constants(THE_70B).matmul_share,
    "| | 71% on an H100 |": device_constants("H100 SXM", "fp8").matmul_share,
    "| a GPU's FP4 peak |": device_constants("B200 SXM", "fp4").matmul_share,
    "| | 80% | [26](": job_constants(THE_70B).memory_share,
    "| | 86% | planner": device_constants("H100 SXM").memory_share,
    "| a link, in one direction |": THE_70B.link_share,
    "| | 80% on an H800 |": device_constants("H800 SXM").node_share,
    "| NVLink; an adapter | 82%;": device_constants("H100 SXM").node_share,
}


@pytest.mark.parametrize(("row", "share"), SHARES_BY_ROW.items())
def test_a_row_of_rates_has_the_share_that_the_code_counts_on(row: str, share: float) -> None:
    found = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(row)]
    assert len(found) == 1
    assert f"{share:.0%}" in " ".join(found[0].split("|")[1:3])


def test_the_rates_of_adapters_and_of_a_fitted_a100_are_the_planners() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"{device_constants('H100 SXM').network_share:.0%} on an H100" in text
    assert f"| {MEGATRON_A100.matmul_share:.1%} on an A100 |" in text
