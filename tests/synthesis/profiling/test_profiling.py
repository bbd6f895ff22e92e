"""Chapter 35: its formula is what the simulated machine counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snippets.synthesis.profiling.figures import profiling_panel
from snippets.synthesis.profiling.formulas import profiling_bytes
from snippets.synthesis.profiling.programs import run_profiling


@given(ranks=st.integers(1, 8), length=st.integers(0, 20))
def test_the_formula_is_what_the_machine_counts(ranks: int, length: int) -> None:
    account = run_profiling(ranks=ranks, length=length)
    assert sum(account.sent_bytes) == profiling_bytes(size_bytes=8 * length, ranks=ranks)


def test_the_picture_shows_what_was_computed() -> None:
    assert "TO WRITE" not in profiling_panel().svg()
