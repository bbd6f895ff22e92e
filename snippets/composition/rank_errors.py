"""Formulas: how well predicted times agree with measured ones, and how well they choose."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from snippets.domain import as_float, each, positive_number


def _pairs(predicted: Sequence[float], measured: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    ours, theirs = each("predicted", predicted, positive_number), each("measured", measured, positive_number)
    if len(ours) != len(theirs) or not ours:
        raise ValueError(f"measured must have as many entries as predicted, {len(ours)}, got {len(theirs)}")
    return ours, theirs


def median_error(predicted: Sequence[float], measured: Sequence[float]) -> float:
    """Return the median of the predictions' relative errors, without their signs.

    Formula: $\\operatorname{median}_i \\left| \\frac{x_i}{y_i} - 1 \\right|$
    Symbols: x_i = predicted; y_i = measured
    Chapter: 26

    Args:
        predicted: times, above 0.
        measured: as many.

    Returns:
        A share.

    Source: definition.
    Convention: relative to what was measured.
    Leaves out: which of them are too long.

    Example:
        >>> round(median_error([1.1, 2.0, 2.7], [1.0, 2.0, 3.0]), 3)
        0.1
    """
    ours, theirs = _pairs(predicted, measured)
    return float(median(abs(x / y - 1) for x, y in zip(ours, theirs, strict=True)))


def rank_correlation(predicted: Sequence[float], measured: Sequence[float]) -> float:
    """Return Spearman's correlation: that of the two orders.

    Also: Spearman
    Formula: $\\frac{\\sum_i (q_i - \\bar q)(z_i - \\bar z)}
        {\\sqrt{\\sum_i (q_i - \\bar q)^2 \\sum_i (z_i - \\bar z)^2}}$
    Symbols: q_i, z_i = ranks of the predicted and the measured times, equal times sharing the mean of theirs
    Chapter: 26

    Args:
        predicted: times, above 0, not all equal.
        measured: as many, not all equal.

    Returns:
        From −1 to 1.

    Source: Spearman 1904.
    Convention: 1 for the same order.
    Leaves out: how far apart the times are.

    Example:
        >>> rank_correlation([1.0, 2.0, 3.0], [10.0, 30.0, 20.0])
        0.5
    """
    ours, theirs = (_ranks(times) for times in _pairs(predicted, measured))
    mean = (len(ours) - 1) / 2
    both = sum((q - mean) * (z - mean) for q, z in zip(ours, theirs, strict=True))
    square = sum((q - mean) ** 2 for q in ours) * sum((z - mean) ** 2 for z in theirs)
    if square == 0:
        raise ValueError("predicted and measured must each hold two different times")
    return float(both / square**0.5)


def _ranks(times: Sequence[float]) -> list[float]:
    order = sorted(times)
    first = {time: index for index, time in reversed(list(enumerate(order)))}
    return [first[time] + (order.count(time) - 1) / 2 for time in times]


def choice_regret(predicted: Sequence[float], measured: Sequence[float]) -> float:
    """Return by how much the choice that the predictions make is slower than the best.

    Also: regret
    Formula: $\\frac{y_j}{\\min_i y_i} - 1, \\quad j = \\operatorname{arg\\,min}_i x_i$
    Symbols: x_i = predicted; y_i = measured
    Chapter: 26

    Args:
        predicted: times, above 0.
        measured: as many.

    Returns:
        A share; 0 where the best was chosen.

    Source: definition.
    Convention: the first of equal predictions is chosen.
    Leaves out: layouts that nobody measured.

    Example:
        >>> round(choice_regret([1.0, 2.0], [1.1, 1.0]), 3)
        0.1
    """
    ours, theirs = _pairs(predicted, measured)
    return as_float("measured", theirs[ours.index(min(ours))] / min(theirs) - 1)


def ordered_pairs_share(predicted: Sequence[float], measured: Sequence[float], *, apart: float = 0.2) -> float:
    """Return how many of the pairs that are predicted well apart were measured in that order.

    Formula: $\\frac{|\\{(i, j): x_i > (1 + q)\\,x_j,\\; y_i > y_j\\}|}{|\\{(i, j): x_i > (1 + q)\\,x_j\\}|}$
    Symbols: x_i = predicted; y_i = measured; q = apart
    Chapter: 26

    Args:
        predicted: times, above 0.
        measured: as many.
        apart: by which share the longer prediction exceeds the shorter, at the least.

    Returns:
        A share; 1 where no pair is so far apart.

    Source: definition.
    Convention: ordered pairs, each counted once.
    Leaves out: pairs that are predicted closer together.

    Example:
        >>> ordered_pairs_share([1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
        0.6666666666666666
    """
    ours, theirs = _pairs(predicted, measured)
    limit = 1 + positive_number("apart", apart)
    count = range(len(ours))
    pairs = [(i, j) for i in count for j in count if ours[i] > limit * ours[j]]
    return sum(theirs[i] > theirs[j] for i, j in pairs) / len(pairs) if pairs else 1.0
