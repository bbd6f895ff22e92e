"""Simulators: stage 3's gathers beside the computation: when each unit is gathered, runs, and is freed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import each, nonnegative_integer, nonnegative_number


@dataclass(frozen=True)
class UnitTimes:
    """When a unit's gather begins and ends, and when its computation does, in seconds from the start.

    >>> UnitTimes(0.0, 1.0, 1.0, 3.0).run_end_s
    3.0
    """

    gather_start_s: float
    gather_end_s: float
    run_start_s: float
    run_end_s: float


def overlapped_units(gather_s: Sequence[float], run_s: Sequence[float], *, prefetch: int = 1) -> tuple[UnitTimes, ...]:
    """Return when each unit of a forward pass is gathered and runs, with one stream for each.

    Args:
        gather_s: seconds to gather each unit's weights.
        run_s: seconds to compute with each unit, as many.
        prefetch: units that may be gathered, or on their way, beyond the one that runs, at least 0.

    Returns:
        The times, in the order of units. The pass ends with the last unit's run.

    Raises:
        ValueError: if a time is negative, the sequences differ in length, or ``prefetch`` is no integer of at least 0.

    Source: derived; Zhao et al. 2023 describe the streams.
    Convention: a unit is freed when it has run. Gathers follow one another, so do runs. Unit i is gathered once at
        most ``prefetch`` others are held besides it, and runs once it is there.
    Leaves out: that the two streams slow each other down; the time to issue work.

    Example:
        >>> [unit.run_end_s for unit in overlapped_units([1.0, 1.0], [2.0, 2.0], prefetch=0)]
        [3.0, 6.0]
        >>> [unit.run_end_s for unit in overlapped_units([1.0, 1.0], [2.0, 2.0])]
        [3.0, 5.0]
    """
    ahead = nonnegative_integer("prefetch", prefetch)
    gathers, runs = each("gather_s", gather_s, nonnegative_number), each("run_s", run_s, nonnegative_number)
    if len(gathers) != len(runs):
        raise ValueError(f"run_s must have as many entries as gather_s, {len(gathers)}, got {len(runs)}")
    units: list[UnitTimes] = []
    for index, (gather, run) in enumerate(zip(gathers, runs, strict=True)):
        start = units[-1].gather_end_s if units else 0.0
        if index > ahead:
            start = max(start, units[index - 1 - ahead].run_end_s)
        begin = max(start + gather, units[-1].run_end_s if units else 0.0)
        units.append(UnitTimes(start, start + gather, begin, begin + run))
        if math.isinf(begin + run):
            raise ValueError(f"gather_s and run_s must be such that the end fits a float, got {gathers} and {runs}")
    return tuple(units)
