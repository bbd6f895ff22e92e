"""Formulas: what every rank holds after every round of a schedule, as the set of the ranks whose terms are in it."""

from __future__ import annotations

from snippets.simulation.schedule import Schedule

Held = dict[int, frozenset[int]]


def holdings(schedule: Schedule) -> tuple[tuple[Held, ...], ...]:
    """Return whose terms each rank holds at each address, before the first round and after each.

    Formula: $H_r(i) \\leftarrow H_r(i) \\cup H_{r'}(i) \\;\\text{ or }\\; H_{r'}(i)$
    Symbols: H_r(i) = ranks whose terms rank r holds at address i; r', r = source and destination of a message that is
        combined, or copied
    Chapter: 13

    Args:
        schedule: any schedule but a barrier's; it should be right (``snippets.simulation.checker``).

    Returns:
        For each moment (rounds + 1 of them) and each rank a map from address to contributing ranks; addresses at
        which the rank holds nothing are absent.

    Raises:
        ValueError: if ``schedule`` is no ``Schedule``, or a message sends what its source does not hold.

    Source: derived in this book.
    Convention: all sends of a round read what was there before it; what was sent stays at its source.
    Leaves out: values (``snippets.simulation.runner`` moves them).

    Example:
        >>> from snippets.simulation.algorithms import build_collective
        >>> [sorted(held[1][1]) for held in holdings(build_collective("all_reduce", "ring", ranks=3, length=3))]
        [[1], [1], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
    """
    if not isinstance(schedule, Schedule):
        raise ValueError(f"schedule must be a Schedule, got {schedule!r}")
    ranks = range(schedule.ranks)
    held: list[Held] = [
        {address: frozenset((rank,)) for start, stop in schedule.input_ranges(rank) for address in range(start, stop)}
        for rank in ranks
    ]
    moments = [tuple(dict(places) for places in held)]
    for number, sends in enumerate(schedule.rounds):
        before = moments[-1]
        for send in sends:
            for address in (place for start, stop in send.ranges for place in range(start, stop)):
                if address not in before[send.source]:
                    raise ValueError(f"schedule must send what is held: round {number}, address {address}, {send}")
                terms = before[send.source][address]
                if send.combine:
                    terms |= held[send.destination].get(address, frozenset())
                held[send.destination][address] = terms
        moments.append(tuple(dict(places) for places in held))
    return tuple(moments)
