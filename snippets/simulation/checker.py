"""Formulas: the judge of a schedule: follows whose terms each rank holds, address by address, and names what is wrong.

It moves no numbers and shares no code with the runner: what a rank holds at an address is the set of the ranks whose
contributions have been added up there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from snippets.domain import positive_integer
from snippets.simulation.schedule import Range, Schedule, ScheduledSend

# What one rank holds: cell number → bit mask of the contributing ranks. A cell is a range between neighbouring edges.
_Held = dict[int, int]


@dataclass(frozen=True)
class Fault:
    """What is wrong with a schedule: in which round (``None`` for the end) and what.

    >>> print(Fault(3, "rank 0 sends 2 messages with 1 port"))
    round 3: rank 0 sends 2 messages with 1 port
    """

    round: int | None
    message: str

    def __str__(self) -> str:
        return f"{'end' if self.round is None else f'round {self.round}'}: {self.message}"


def find_collective_faults(schedule: Schedule, *, ports: int | None = 1) -> tuple[Fault, ...]:
    """Return everything that is wrong with a schedule.

    A fault is: a rank that sends what it does not hold; that adds to a place where it holds nothing, or adds a
    contribution that is in the sum already; two messages that write one place in a round unless both add; more
    messages to or from a rank in a round than it has ports; at the end, a place that holds other contributions than
    the primitive asks for. For a barrier: a rank that leaves without having heard, through whomever, from all.

    Formula: $H_r(i) = \\{\\, q : q \\text{ brings } i \\,\\}$
    Symbols: H_r(i) = ranks q whose contributions rank r holds after the last round at an address i of its result
    Chapter: 12

    Args:
        schedule: the schedule to judge.
        ports: messages that a rank can send, and as many that it can receive, in one round; ``None`` for no limit.

    Returns:
        The faults in the order of rounds; none if the schedule is right. A faulty message is not delivered.

    Raises:
        ValueError: if ``schedule`` is no ``Schedule`` or ``ports`` is neither ``None`` nor an integer of at least 1.

    Source: derived in this book.
    Convention: full duplex: sending and receiving are counted apart. All sends of a round read what was there before.
    Leaves out: time, and messages that are right but useless.

    Example:
        >>> from snippets.simulation.algorithms import build_collective
        >>> find_collective_faults(build_collective("all_reduce", "ring", ranks=5, length=7))
        ()
        >>> half = Schedule("all_reduce", "by hand", 2, 1, ((ScheduledSend(0, 1, ((0, 1),), True),),))
        >>> print(find_collective_faults(half)[0])
        end: rank 0 must hold the contributions of ranks 0, 1 at [0, 1), has those of 0
    """
    if not isinstance(schedule, Schedule):
        raise ValueError(f"schedule must be a Schedule, got {schedule!r}")
    if ports is not None:
        ports = positive_integer("ports", ports)
    faults: list[Fault] = []
    if ports is not None:
        for number, sends in enumerate(schedule.rounds):
            faults += (Fault(number, text) for text in _port_faults(sends, ports))
    if schedule.primitive == "barrier":
        faults += _barrier_faults(schedule)
    else:
        cells = _Cells(schedule)
        held = cells.brought()
        for number, sends in enumerate(schedule.rounds):
            faults += (Fault(number, text) for text in _deliver(cells, held, sends))
        faults += (Fault(None, text) for text in _end_faults(cells, held))
    return tuple(sorted(faults, key=lambda fault: (fault.round is None, fault.round)))


def check_collective(schedule: Schedule, *, ports: int | None = 1) -> None:
    """Raise ``ValueError`` if anything is wrong with a schedule, naming the first fault and the number of the others.

    Formula: $H_r(i) = \\{\\, q : q \\text{ brings } i \\,\\}$
    Symbols: as for find_faults
    Chapter: 12

    Args:
        schedule: the schedule to judge.
        ports: as for ``find_collective_faults``.

    Raises:
        ValueError: if ``find_collective_faults`` finds any, or an argument is impossible.

    Source: derived in this book.
    Convention: as ``find_collective_faults``.
    Leaves out: as ``find_collective_faults``.

    Example:
        >>> from snippets.simulation.algorithms import build_collective
        >>> check_collective(build_collective("all_gather", "ring", ranks=3, length=6))
        >>> check_collective(Schedule("broadcast", "by hand", 2, 1, ()))
        Traceback (most recent call last):
        ...
        ValueError: schedule must do a broadcast: end: rank 1 must hold the contributions of ranks 0 at [0, 1), has none
    """
    faults = find_collective_faults(schedule, ports=ports)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        primitive = schedule.primitive.replace("_", "-")
        article = "an" if primitive.startswith("a") else "a"
        raise ValueError(f"schedule must do {article} {primitive}: {faults[0]}{more}")


def contributions(schedule: Schedule) -> Iterator[tuple[tuple[tuple[int, int, tuple[int, ...]], ...], ...]]:
    """Yield whose terms every rank holds: before the first round, and after each round.

    Formula: $H_r(i) \\leftarrow H_r(i) \\cup H_q(i) \\;\\text{ or }\\; H_r(i) \\leftarrow H_q(i)$
    Symbols: r = destination; q = source of a message that adds, or that overwrites; i = an address that it carries
    Chapter: 12

    Args:
        schedule: any schedule but a barrier's; faulty messages are not delivered.

    Yields:
        For each rank, ascending, the triples (start, stop, contributing ranks) of what it holds.

    Raises:
        ValueError: if ``schedule`` is no ``Schedule``, or a barrier's.

    Source: derived in this book.
    Convention: a triple for each range between neighbouring edges of the schedule's ranges, not the longest possible.
    Leaves out: the order in which the terms were added.

    Example:
        >>> down = Schedule("broadcast", "by hand", 2, 4, ((ScheduledSend(0, 1, ((0, 4),), False),),))
        >>> list(contributions(down))
        [(((0, 4, (0,)),), ()), (((0, 4, (0,)),), ((0, 4, (0,)),))]
    """
    if not isinstance(schedule, Schedule):
        raise ValueError(f"schedule must be a Schedule, got {schedule!r}")
    if schedule.primitive == "barrier":
        raise ValueError("schedule must carry data, got a barrier")
    return _contributions(schedule)


def _contributions(schedule: Schedule) -> Iterator[tuple[tuple[tuple[int, int, tuple[int, ...]], ...], ...]]:
    cells = _Cells(schedule)
    held = cells.brought()
    for sends in ((), *schedule.rounds):
        for _ in _deliver(cells, held, sends):
            pass
        yield tuple(
            tuple((*cells.bounds(cell), tuple(_ranks_of(mask))) for cell, mask in sorted(mine.items())) for mine in held
        )


class _Cells:
    """The addresses of a schedule, cut at every edge of every range: a cell is moved as a whole or not at all."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.inputs = [schedule.input_ranges(rank) for rank in range(schedule.ranks)]
        self.outputs = [schedule.output_ranges(rank) for rank in range(schedule.ranks)]
        ranges = {pair for owned in self.inputs + self.outputs for pair in owned}
        ranges.update(pair for sends in schedule.rounds for send in sends for pair in send.ranges)
        self.edges = sorted({edge for pair in ranges for edge in pair})
        self.index = {edge: number for number, edge in enumerate(self.edges)}

    def of(self, ranges: tuple[Range, ...]) -> list[int]:
        return [cell for start, stop in ranges for cell in range(self.index[start], self.index[stop])]

    def bounds(self, cell: int) -> Range:
        return self.edges[cell], self.edges[cell + 1]

    def brought(self) -> list[_Held]:
        """Return what the ranks hold before the first round."""
        return [dict.fromkeys(self.of(ranges), 1 << rank) for rank, ranges in enumerate(self.inputs)]


def _port_faults(sends: tuple[ScheduledSend, ...], ports: int) -> Iterator[str]:
    for verb, counts in (
        ("sends", Counter(send.source for send in sends)),
        ("receives", Counter(send.destination for send in sends)),
    ):
        for rank, count in sorted(counts.items()):
            if count > ports:
                yield f"rank {rank} {verb} {count} messages with {ports} port{'s' if ports > 1 else ''}"


def _deliver(cells: _Cells, held: list[_Held], sends: tuple[ScheduledSend, ...]) -> Iterator[str]:
    """Apply one round to ``held``; yield what is wrong with its messages, which are then not delivered."""
    parcels = []
    for send in sends:
        source = held[send.source]
        places = cells.of(send.ranges)
        missing = [cell for cell in places if cell not in source]
        if missing:
            yield f"rank {send.source} sends [{_at(cells, missing)}) to rank {send.destination} and does not hold it"
        else:
            parcels.append((send, [(cell, source[cell]) for cell in places]))
    written: dict[tuple[int, int], bool] = {}
    for send, parcel in parcels:
        target = held[send.destination]
        problem = next(filter(None, (_problem(send, target, written, *item) for item in parcel)), None)
        if problem:
            yield f"{problem} at [{_at(cells, [cell for cell, _ in parcel])}), sent by rank {send.source}"
            continue
        for cell, mask in parcel:
            written[send.destination, cell] = send.combine
            target[cell] = target[cell] | mask if send.combine else mask


def _problem(
    send: ScheduledSend, target: _Held, written: dict[tuple[int, int], bool], cell: int, mask: int
) -> str | None:
    """Return why the destination cannot take this cell, or ``None``."""
    rank = send.destination
    earlier = written.get((rank, cell))
    if earlier is not None and not (earlier and send.combine):
        return f"rank {rank} is written twice in one round"
    if send.combine and cell not in target:
        return f"rank {rank} adds to nothing"
    if send.combine and target[cell] & mask:
        twice = ", ".join(map(str, _ranks_of(target[cell] & mask)))
        return f"rank {rank} adds the contribution of {twice} twice"
    return None


def _end_faults(cells: _Cells, held: list[_Held]) -> Iterator[str]:
    """Yield the places that do not hold exactly the contributions of all ranks that brought the address."""
    asked: dict[int, int] = {}
    for mine in cells.brought():
        for cell, mask in mine.items():
            asked[cell] = asked.get(cell, 0) | mask
    for rank, ranges in enumerate(cells.outputs):
        for cell in cells.of(ranges):
            found = held[rank].get(cell, 0)
            if found != asked[cell]:
                start, stop = cells.bounds(cell)
                wanted, have = (", ".join(map(str, _ranks_of(mask))) for mask in (asked[cell], found))
                holds = f"has those of {have}" if have else "has none"
                yield f"rank {rank} must hold the contributions of ranks {wanted} at [{start}, {stop}), {holds}"


def _barrier_faults(schedule: Schedule) -> Iterator[Fault]:
    """Yield the ranks that would leave a barrier before they have heard from all."""
    heard = [1 << rank for rank in range(schedule.ranks)]
    for sends in schedule.rounds:
        before = list(heard)
        for send in sends:
            heard[send.destination] |= before[send.source]
    for rank, mask in enumerate(heard):
        missing = ", ".join(str(peer) for peer in range(schedule.ranks) if not mask >> peer & 1)
        if missing:
            yield Fault(None, f"rank {rank} leaves without having heard from {missing}")


def _at(cells: _Cells, places: list[int]) -> str:
    return f"{cells.bounds(places[0])[0]}, {cells.bounds(places[-1])[1]}"


def _ranks_of(mask: int) -> list[int]:
    return [rank for rank in range(mask.bit_length()) if mask >> rank & 1]
