"""What the exercises of chapter 9 share: a loss surface given by five numbers, and searches that know no formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Fit = tuple[float, float, float, float, float]
TOY: Fit = (2.0, 100.0, 100.0, 0.5, 0.5)
REFIT: Fit = (1.8172, 482.01, 2085.43, 0.3478, 0.3658)
UNROUNDED: Fit = (1.69337, 406.401, 410.723, 0.33917084, 0.2849083)
PRINTED: Fit = (1.69, 406.4, 410.7, 0.34, 0.28)
_GOLDEN = (math.sqrt(5) - 1) / 2


def loss_of(fit: Fit, parameters: float, tokens: float) -> float:
    """Return ℒ_∞ + A_N/N^α_N + A_D/D^α_D."""
    floor, A_N, A_D, α_N, α_D = fit
    return floor + A_N * parameters**-α_N + A_D * tokens**-α_D


def rising_from(slope: Callable[[float], float], low: float, high: float) -> float:
    """Return where a rising function passes 0, by halving."""
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return (low + high) / 2


def fits(st: Any) -> Any:
    """Draw surfaces whose exponents and coefficients differ."""
    exponent = st.integers(20, 60).map(lambda hundredths: hundredths / 100)
    coefficient = st.integers(5, 300).map(lambda tens: tens * 10.0)
    irreducible = st.integers(10, 25).map(lambda tenths: tenths / 10)
    return st.tuples(irreducible, coefficient, coefficient, exponent, exponent)
