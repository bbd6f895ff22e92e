"""The live figure of chapter 9 says what a search over sizes finds."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.scaling.chinchilla.live import split_budget
from snippets.scaling.loss_surface.formulas import LOSS_FITS

UNITS = {"": 1.0, "M": 1e6, "B": 1e9, "T": 1e12}


def counts(numbers: str, what: str) -> list[float]:
    """Return all counts of parameters or tokens that a text names."""
    found = re.findall(rf"([\d.,]+)([MBT]?) {what}\b", numbers)
    return [float(number.replace(",", "")) * UNITS[unit] for number, unit in found]


@settings(max_examples=25)
@given(
    flops=st.floats(18, 26).map(lambda power: 10**power),
    fit=st.sampled_from([*LOSS_FITS]),
    ratio=st.floats(0.125, 8),
    served=st.integers(0, 200),
)
def test_it_says_what_a_search_finds(flops: float, fit: str, ratio: float, served: int) -> None:
    f = LOSS_FITS[fit]
    numbers = split_budget(flops=flops, fit=fit, ratio=ratio, served=served).numbers
    bottom, chosen, cheapest = counts(numbers, "parameters")
    sizes = np.geomspace(bottom / 30, bottom * 30, 20_001)

    def above(parameters: np.ndarray) -> np.ndarray:
        size_term = f.parameter_coefficient * parameters**-f.parameter_exponent
        tokens = flops / 6 / parameters
        return np.asarray(size_term + f.token_coefficient * tokens**-f.token_exponent)

    losses = above(sizes)
    assert sizes[losses.argmin()] == pytest.approx(bottom, rel=0.02)
    assert chosen == pytest.approx(ratio * bottom, rel=0.01)
    said = [float(loss) for loss in re.findall(r"loss ([\d.]+),? ?", numbers.replace(". Yours", ", Yours"))[:2]]
    assert said[0] == pytest.approx(f.irreducible_nats + float(losses.min()), abs=6e-4)
    left = losses.min() - f.parameter_coefficient * sizes**-f.parameter_exponent
    with np.errstate(invalid="ignore"):
        tokens = np.where(left > 0, (f.token_coefficient / np.where(left > 0, left, 1)) ** (1 / f.token_exponent), 0)
    spent = np.where(left > 0, 6 * sizes * tokens + 2 * sizes * served * 1e12, np.inf)
    at = float(np.interp(np.log(cheapest), np.log(sizes), np.log(spent)))
    assert at == pytest.approx(float(np.log(spent.min())), abs=0.01)
