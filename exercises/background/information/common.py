"""What the exercises on entropies share: their distributions, and a gradient."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

# how often each symbol came in the chapter's late gradient, rounded to the RMS
LATE_GRADIENT = (2, 3, 25, 75, 419, 1550, 4040, 1564, 417, 67, 27, 2, 1)
SHARES = 16  # probabilities are multiples of a sixteenth, which floats hold exactly


def distributions(st: Any, symbols: int, *, zeros: bool = True) -> Any:
    """Return a strategy of distributions over a number of symbols."""
    least = 0 if zeros else 1
    spare = SHARES - least * symbols
    cuts = st.lists(st.integers(0, spare), min_size=symbols - 1, max_size=symbols - 1)
    return cuts.map(lambda at: [(high - low + least) / SHARES for low, high in pairwise([0, *sorted(at), spare])])
