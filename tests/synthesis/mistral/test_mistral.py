"""Chapter 39: its formula is what the simulated machine counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snippets.synthesis.mistral.figures import mistral_panel
from snippets.synthesis.mistral.formulas import mistral_bytes
from snippets.synthesis.mistral.programs import run_mistral


@given(ranks=st.integers(1, 8), length=st.integers(0, 20))
def test_the_formula_is_what_the_machine_counts(ranks: int, length: int) -> None:
    account = run_mistral(ranks=ranks, length=length)
    assert sum(account.sent_bytes) == mistral_bytes(size_bytes=8 * length, ranks=ranks)


def test_the_picture_shows_what_was_computed() -> None:
    assert "TO WRITE" not in mistral_panel().svg()
