"""Chapter 38: its formula is what the simulated machine counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snippets.synthesis.deepseek_v3.figures import deepseek_v3_panel
from snippets.synthesis.deepseek_v3.formulas import deepseek_v3_bytes
from snippets.synthesis.deepseek_v3.programs import run_deepseek_v3


@given(ranks=st.integers(1, 8), length=st.integers(0, 20))
def test_the_formula_is_what_the_machine_counts(ranks: int, length: int) -> None:
    account = run_deepseek_v3(ranks=ranks, length=length)
    assert sum(account.sent_bytes) == deepseek_v3_bytes(size_bytes=8 * length, ranks=ranks)


def test_the_picture_shows_what_was_computed() -> None:
    assert "TO WRITE" not in deepseek_v3_panel().svg()
