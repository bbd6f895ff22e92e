"""Simulators: products of random factors, and mean scores of ranges, drawn many times: the oracles of chapter 7.

Nothing here knows the formulas of ``estimation``: factors are drawn, multiplied, and sorted; truths are drawn, and
each is scored for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import finite_array
from snippets.domain import at_most, nonnegative_integer, number_between, one_of, positive_integer
from snippets.foundations.estimation.formulas import COVERAGE, Factor, _factors, _range

FloatArray = NDArray[np.float64]
SHAPES = ("lognormal", "loguniform", "uniform")


def product_trials(
    factors: Sequence[Factor], *, trials: int, seed: int, shape: str = "lognormal", coverage: float = COVERAGE
) -> FloatArray:
    """Return products of factors, drawn independently.

    Args:
        factors: each a ``Factor``, whose ends are the quantiles of the shape on either side.
        trials: how many products, at most 2²⁰.
        seed: of the random numbers, at least 0.
        shape: ``"lognormal"``; ``"loguniform"``, as likely everywhere on a logarithmic axis, to a little beyond the
            ends, which leaves out 1 − ``coverage``; ``"uniform"``, the same on an ordinary axis, where that stays
            above 0.
        coverage: share of the draws between a factor's ends, from 0.01 to 0.99.

    Returns:
        As many products, in the order in which they were drawn.

    >>> product_trials([Factor("two", 2, 2)], trials=3, seed=0)
    array([2., 2., 2.])
    """
    trials, seed = at_most("trials", positive_integer("trials", trials)), nonnegative_integer("seed", seed)
    shape = one_of("shape", shape, SHAPES)
    coverage = number_between("coverage", coverage, low=0.01, high=0.99)
    generator = np.random.default_rng(seed)
    products = np.ones(trials)
    for factor in _factors(factors):
        ends = np.array([factor.low, factor.high])
        if shape != "uniform":
            ends = np.log(ends)
        centre, half = ends.mean(), (ends[1] - ends[0]) / 2
        if shape == "lognormal":
            drawn = centre + half / NormalDist().inv_cdf((1 + coverage) / 2) * generator.standard_normal(trials)
        else:
            drawn = centre + half / coverage * generator.uniform(-1, 1, trials)
        if shape == "uniform" and centre <= half / coverage:
            raise ValueError(f"factors must stay above 0 beyond their ends, got {factor!r}")
        products *= drawn**factor.power if shape == "uniform" else np.exp(drawn * factor.power)
    return products


def central_range(drawn: FloatArray, *, coverage: float = COVERAGE) -> tuple[float, float]:
    """Return the ends between which the middle of the draws lies, by sorting them.

    Args:
        drawn: any finite numbers, one or more.
        coverage: share of them, from 0.01 to 0.99.

    Returns:
        The quantiles at (1 − c)/2 and (1 + c)/2.

    >>> [round(end, 3) for end in central_range(np.arange(101.0))]
    [10.0, 90.0]
    """
    coverage = number_between("coverage", coverage, low=0.01, high=0.99)
    low, high = np.quantile(_numbers("drawn", drawn), [(1 - coverage) / 2, (1 + coverage) / 2])
    return float(low), float(high)


def mean_score(truths: FloatArray, *, low: float, high: float, coverage: float = COVERAGE) -> tuple[float, float]:
    """Return the mean interval score of one range over many truths, and the share that it hits.

    Args:
        truths: what turned out, each above 0.
        low: the range's lower end, above 0.
        high: its upper end, at least ``low``.
        coverage: that the range claims, from 0.01 to 0.99.

    Returns:
        The mean score in natural logarithms, and the share of truths between the ends.

    >>> mean_score(np.array([1.0, 2.0]), low=1, high=2)
    (0.6931471805599453, 1.0)
    """
    a, b = _range(low, high)
    tail = (1 - number_between("coverage", coverage, low=0.01, high=0.99)) / 2
    truths = _numbers("truths", truths)
    if truths.min() <= 0:
        raise ValueError(f"truths must be finite numbers above 0, got {truths.min()!r}")
    # The pinball losses of the two quantiles, over their tail: another way to write the interval score.
    below, above = np.log(truths) - np.log(a), np.log(truths) - np.log(b)
    low_loss = np.where(below > 0, tail * below, (tail - 1) * below)
    high_loss = np.where(above > 0, (1 - tail) * above, -tail * above)
    return float((low_loss + high_loss).mean() / tail), float(np.mean((truths >= a) & (truths <= b)))


def _numbers(name: str, values: FloatArray) -> FloatArray:
    """Return an array of finite numbers, one or more."""
    numbers = finite_array(name, values, dimensions=1)
    if not numbers.size:
        raise ValueError(f"{name} must hold one number or more, got none")
    return numbers
