"""What the decision of chapter 2 counts is what passes when real arrays move."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exercises.foundations.roofline.choose_tile import counted
from snippets.foundations.roofline.simulators import CountedMemory, tiled_product

SIDES = st.integers(1, 9)


@given(m=SIDES, k=SIDES, n=SIDES, rows=SIDES, columns=SIDES)
def test_a_tile_holds_and_moves_what_was_counted(m: int, k: int, n: int, rows: int, columns: int) -> None:
    held, passed = counted(m, k, n, (rows, columns))
    memory = CountedMemory(held)
    tiled_product(np.ones((m, k)), np.ones((k, n)), tile_rows=rows, tile_columns=columns, memory=memory)
    assert memory.read + memory.written == passed
