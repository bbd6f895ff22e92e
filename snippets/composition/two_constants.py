"""Formulas: a step's time from two measured constants: seconds a micro-batch, and what is paid once a step."""

from __future__ import annotations

from typing import NamedTuple

from snippets.domain import as_float, finite_number, of_kind, positive_integer, positive_number


class TwoConstants(NamedTuple):
    """What a micro-batch takes on the slowest stage, and what a step takes besides, both in seconds.

    >>> TwoConstants(0.1, 0.5).micro_batch_s
    0.1
    """

    micro_batch_s: float
    rest_s: float


def pipeline_turns(*, micro_batches: int, stages: int = 1, chunks: int = 1) -> float:
    """Return how many micro-batches' time a step takes, the pipeline's filling and draining included.

    Formula: $m + \\frac{p - 1}{v}$
    Symbols: m = micro_batches; p = stages; v = chunks
    Chapter: 26

    Args:
        micro_batches: of a step.
        stages: pipeline stages.
        chunks: model chunks of each.

    Returns:
        Turns.

    Source: chapter 18, Narayanan et al. 2021, section 2.2.
    Convention: equal stages.
    Leaves out: messages.

    Example:
        >>> pipeline_turns(micro_batches=24, stages=8, chunks=8)
        24.875
    """
    m, p = positive_integer("micro_batches", micro_batches), positive_integer("stages", stages)
    return m + (p - 1) / positive_integer("chunks", chunks)


def fit_two_constants(*, turns: tuple[float, float], seconds: tuple[float, float]) -> TwoConstants:
    """Return the two constants that two measured steps give.

    Formula: $T_1 = \\frac{T - T'}{q - q'}, \\quad T_0 = T - q\\,T_1$
    Symbols: T_1 = micro_batch_s; T_0 = rest_s; T, T' = the two seconds; q, q' = the two turns
    Chapter: 26

    Args:
        turns: of the two runs, as ``pipeline_turns`` counts; they must differ.
        seconds: of their steps; more turns must have taken longer.

    Returns:
        The line through both; its rest is below 0 where the fewer turns took less than their share.

    Raises:
        ValueError: if the turns are equal, more turns took no longer, or there are not two of each.

    Source: derived in this book.
    Convention: the layout of a replica, and so a micro-batch's time, is the same in both runs.
    Leaves out: that sums of gradients over more replicas take longer.

    Example:
        >>> found = fit_two_constants(turns=(288.875, 72.875), seconds=(55.0998, 14.2054))
        >>> round(found.micro_batch_s, 4), round(found.rest_s, 3)
        (0.1893, 0.408)
    """
    for name, pair in (("turns", turns), ("seconds", seconds)):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"{name} must be two numbers, got {pair!r}")
    first, second = (positive_number("turns", each) for each in turns)
    slow, fast = (positive_number("seconds", each) for each in seconds)
    if first == second:
        raise ValueError(f"turns must be two different numbers, got {turns!r}")
    each = as_float("turns and seconds", (slow - fast) / (first - second))
    if each <= 0:
        raise ValueError(f"seconds must be more for more turns {turns!r}, got {seconds!r}")
    return TwoConstants(each, as_float("turns and seconds", slow - first * each))


def two_constant_step_s(constants: TwoConstants, *, turns: float) -> float:
    """Return a step's time from two constants.

    Formula: $T = q\\,T_1 + T_0$
    Symbols: q = turns; T_1, T_0 = the constants
    Chapter: 26

    Args:
        constants: seconds a micro-batch, above 0, and the rest, any finite number.
        turns: of the run, as ``pipeline_turns`` counts; enough for a time above 0.

    Returns:
        Seconds.

    Raises:
        ValueError: if the line is not above 0 there.

    Source: derived in this book.
    Convention: as ``fit_two_constants``.
    Leaves out: as there.

    Example:
        >>> found = fit_two_constants(turns=(288.875, 72.875), seconds=(55.0998, 14.2054))
        >>> round(two_constant_step_s(found, turns=24.875), 2)
        5.12
    """
    of_kind("constants", constants, TwoConstants)
    each = positive_number("constants.micro_batch_s", constants.micro_batch_s)
    rest = finite_number("constants.rest_s", constants.rest_s)
    seconds = as_float("turns", each * positive_number("turns", turns) + rest)
    if seconds <= 0:
        raise ValueError(f"turns must be above −rest_s / micro_batch_s = {-rest / each:.6g}, got {turns!r}")
    return seconds
