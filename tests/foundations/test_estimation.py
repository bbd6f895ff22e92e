"""Chapter 7: its formula is what the simulated machine counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snippets.foundations.estimation import estimation_bytes
from snippets.foundations.estimation_figures import estimation_panel
from snippets.foundations.estimation_programs import run_estimation


@given(ranks=st.integers(1, 8), length=st.integers(0, 20))
def test_the_formula_is_what_the_machine_counts(ranks: int, length: int) -> None:
    account = run_estimation(ranks=ranks, length=length)
    assert sum(account.sent_bytes) == estimation_bytes(size_bytes=8 * length, ranks=ranks)


def test_the_picture_shows_what_was_computed() -> None:
    assert "TO WRITE" not in estimation_panel().svg()
