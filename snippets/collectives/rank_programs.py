"""Simulators: runs one program on every rank, which may only send and receive, and counts what it costs.

A rank program is a generator function ``program(rank, ranks, numbers)``. It sees its own numbers alone. It yields a
request, is resumed when the request has been met, and returns its result:

- ``yield Send(to, numbers)`` is over when the other rank has received, and gives ``None``;
- ``arrived = yield Receive(source)`` gives a list of the numbers that came;
- ``arrived = yield Exchange(to, numbers, source)`` does both at the same time.

>>> def shift(rank, ranks, numbers):
...     arrived = yield Exchange(to=(rank + 1) % ranks, numbers=numbers, source=(rank - 1) % ranks)
...     return arrived
>>> done = run_programs(shift, [[1, 1], [2, 2], [3, 3]])
>>> done.results, done.sent_bytes, done.steps
(([3, 3], [1, 1], [2, 2]), (16, 16, 16), 1)
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from types import GeneratorType
from typing import Any, NamedTuple

from snippets.domain import each, finite_number, positive_integer


class Send(NamedTuple):
    """Give ``numbers`` to rank ``to``, and wait until it has taken them.

    >>> Send(to=1, numbers=[0.5])
    Send(to=1, numbers=[0.5])
    """

    to: int
    numbers: Sequence[Any]


class Receive(NamedTuple):
    """Wait for the numbers that rank ``source`` sends.

    >>> Receive(source=2)
    Receive(source=2)
    """

    source: int


class Exchange(NamedTuple):
    """Send ``numbers`` to rank ``to`` and, at the same time, receive from rank ``source``, which may be another.

    >>> Exchange(to=1, numbers=[0.5], source=2)
    Exchange(to=1, numbers=[0.5], source=2)
    """

    to: int
    numbers: Sequence[Any]
    source: int


Request = Send | Receive | Exchange
Program = Callable[..., Generator[Request, Any, Any]]


class Delivery(NamedTuple):
    """One message: in which step, counted from 1, from whom, to whom, how many bytes.

    >>> Delivery(step=1, source=0, destination=1, sent_bytes=8).sent_bytes
    8
    """

    step: int
    source: int
    destination: int
    sent_bytes: int


class RankProgramError(Exception):
    """A rank program asked for something that cannot be done; the message names the rank.

    >>> run_programs(lambda rank, ranks, numbers: numbers, [[1]])
    Traceback (most recent call last):
    ...
    snippets.collectives.rank_programs.RankProgramError: rank 0 returns at once: a rank program yields its requests
    """


class Deadlock(RankProgramError):
    """No message can move any more; the message says who waits for whom.

    >>> def everybody_sends_first(rank, ranks, numbers):
    ...     yield Send((rank + 1) % ranks, numbers)
    ...     return (yield Receive((rank - 1) % ranks))
    >>> run_programs(everybody_sends_first, [[1], [2]])
    Traceback (most recent call last):
    ...
    snippets.collectives.rank_programs.Deadlock: rank 0 waits to send to rank 1; rank 1 waits to send to rank 0
    """


@dataclass(frozen=True)
class ProgramRun:
    """What the ranks returned, and what it cost.

    Attributes:
        results: per rank what its program returned.
        deliveries: every message, by step and then by sender.
        element_bytes: bytes of one number.

    Example:
        >>> run = ProgramRun((None, None), (Delivery(1, 0, 1, 8), Delivery(2, 0, 1, 4)), element_bytes=4)
        >>> run.sent_bytes, run.received_bytes, run.steps, run.buffer_bytes
        ((12, 0), (0, 12), 2, (0, 8))
    """

    results: tuple[Any, ...]
    deliveries: tuple[Delivery, ...]
    element_bytes: int

    @property
    def steps(self) -> int:
        """Length of the longest chain of messages of which each had to wait for the one before."""
        return max((delivery.step for delivery in self.deliveries), default=0)

    @property
    def sent_bytes(self) -> tuple[int, ...]:
        """Per rank the bytes that it sent."""
        return self._per_rank((delivery.source, delivery.sent_bytes) for delivery in self.deliveries)

    @property
    def received_bytes(self) -> tuple[int, ...]:
        """Per rank the bytes that it received."""
        return self._per_rank((delivery.destination, delivery.sent_bytes) for delivery in self.deliveries)

    @property
    def sent_messages(self) -> tuple[int, ...]:
        """Per rank the messages that it sent."""
        return self._per_rank((delivery.source, 1) for delivery in self.deliveries)

    @property
    def destinations(self) -> tuple[tuple[int, ...], ...]:
        """Per rank the ranks that it sent to, ascending."""
        pairs = {(delivery.source, delivery.destination) for delivery in self.deliveries}
        return tuple(tuple(sorted(there for here, there in pairs if here == rank)) for rank in range(len(self.results)))

    @property
    def buffer_bytes(self) -> tuple[int, ...]:
        """Per rank its longest arrival: the room that it needs beside its own numbers to take one message at a time."""
        longest = [0] * len(self.results)
        for delivery in self.deliveries:
            longest[delivery.destination] = max(longest[delivery.destination], delivery.sent_bytes)
        return tuple(longest)

    def _per_rank(self, amounts: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        totals = [0] * len(self.results)
        for rank, amount in amounts:
            totals[rank] += amount
        return tuple(totals)


def run_programs(
    program: Program, vectors: Sequence[Sequence[Any]], *, element_bytes: int = 8, most_messages: int = 100_000
) -> ProgramRun:
    """Run a program on every rank, deliver its messages, and count them.

    Args:
        program: a generator function, called once for each rank with the keyword arguments ``rank``, ``ranks`` (their
            number) and ``numbers`` (a list of its own, which it may change).
        vectors: for each rank the numbers that it brings.
        element_bytes: bytes that one number takes on the wire.
        most_messages: the run is given up after so many.

    Returns:
        What each rank returned, and every message.

    Raises:
        ValueError: if there is no rank, a rank brings something else than finite numbers, ``program`` cannot be called,
            or a size is no integer of at least 1.
        Deadlock: if ranks wait and no message can move; it says who waits for whom.
        RankProgramError: if a program yields something else than a request, names a rank that does not exist or itself,
            sends something else than real numbers, or sends too many messages.

    Whatever a program itself raises is not caught.

    Convention: a rank has one port of full duplex: at a time it sends one message and receives one. A message takes one
        step, whatever its length, also if it is empty, and begins when both sides ask for it. So ``Send`` and then
        ``Receive`` take two steps, an ``Exchange`` one. Messages between two ranks keep their order, and a receiver
        names its sender; hence the result, the messages and the steps do not depend on who is resumed first.
    Leaves out: buffers (a ``Send`` waits for its receiver, as a large MPI_Send does), what a program keeps in its own
        variables, and programs that talk behind the runner's back, through globals.

    Example:
        >>> def sum_at_rank_0(rank, ranks, numbers):
        ...     if rank:
        ...         yield Send(0, numbers)
        ...     else:
        ...         for source in range(1, ranks):
        ...             arrived = yield Receive(source)
        ...             numbers = [own + other for own, other in zip(numbers, arrived)]
        ...     return numbers
        >>> done = run_programs(sum_at_rank_0, [[1, 2], [10, 20], [100, 200]])
        >>> done.results[0], done.received_bytes, done.steps
        ([111, 222], (32, 0, 0), 2)
    """
    element_bytes = positive_integer("element_bytes", element_bytes)
    runner = _Runner(element_bytes, positive_integer("most_messages", most_messages))
    if not callable(program):
        raise ValueError(f"program must be a generator function, got {_short(program)}")
    brought = each("vectors", vectors, lambda name, vector: each(name, vector, _finite))
    if not brought:
        raise ValueError("vectors must hold the numbers of at least one rank, got none")
    for rank, numbers in enumerate(brought):
        runner.add(_Rank(rank, program(rank=rank, ranks=len(brought), numbers=list(numbers))))
    runner.run()
    deliveries = tuple(sorted(runner.deliveries))
    return ProgramRun(tuple(rank.result for rank in runner.ranks), deliveries, element_bytes)


class _Rank:
    """One rank: its program, the step that it has reached, and what it waits for."""

    def __init__(self, number: int, program: Any) -> None:
        if not isinstance(program, GeneratorType):
            raise RankProgramError(f"rank {number} returns at once: a rank program yields its requests")
        self.number = number
        self.program: Generator[Any, Any, Any] = program
        self.result: Any = None
        self.returned = False
        self.clock = self.met_at = 0
        self.sending: tuple[int, list[Any]] | None = None
        self.awaiting: int | None = None
        self.arrived: list[Any] | None = None

    @property
    def idle(self) -> bool:
        """Whether all that it asked for has been met."""
        return self.sending is None and self.awaiting is None

    def resume(self, ranks: int) -> None:
        """Run the program to its next request or its end."""
        self.clock, arrived, self.arrived = self.met_at, self.arrived, None
        try:
            request = self.program.send(arrived)
        except StopIteration as end:
            self.result, self.returned = end.value, True
            return
        self.sending, self.awaiting = _checked(self.number, request, ranks)

    def waits(self, ranks: list[_Rank]) -> list[str]:
        """Say what it waits for."""
        told = []
        if self.sending is not None:
            told.append(f"rank {self.number} waits to send to {_named(ranks[self.sending[0]])}")
        if self.awaiting is not None:
            told.append(f"rank {self.number} waits to receive from {_named(ranks[self.awaiting])}")
        return told


class _Runner:
    """All ranks, and the messages between them."""

    def __init__(self, element_bytes: int, most_messages: int) -> None:
        self.element_bytes, self.most_messages = element_bytes, most_messages
        self.ranks: list[_Rank] = []
        self.deliveries: list[Delivery] = []

    def add(self, rank: _Rank) -> None:
        self.ranks.append(rank)

    def run(self) -> None:
        """Resume whoever can go on, until all have returned."""
        ready = list(self.ranks)
        while ready:
            rank = ready.pop()
            rank.resume(len(self.ranks))
            touched = {rank.number: rank}
            if rank.sending is not None:
                self._deliver(rank, self.ranks[rank.sending[0]], touched)
            if rank.awaiting is not None:
                self._deliver(self.ranks[rank.awaiting], rank, touched)
            ready += [other for other in touched.values() if other.idle and not other.returned]
        waits = [text for rank in self.ranks for text in rank.waits(self.ranks)]
        if waits:
            more = f"; and {len(waits) - 8} more" if len(waits) > 8 else ""
            raise Deadlock("; ".join(waits[:8]) + more)

    def _deliver(self, source: _Rank, destination: _Rank, touched: dict[int, _Rank]) -> None:
        """Move a message if the one side sends to the other and this waits for it."""
        if source.sending is None or source.sending[0] != destination.number or destination.awaiting != source.number:
            return
        step = max(source.clock, destination.clock) + 1
        numbers = source.sending[1]
        self.deliveries.append(Delivery(step, source.number, destination.number, len(numbers) * self.element_bytes))
        if len(self.deliveries) > self.most_messages:
            raise RankProgramError(f"rank {source.number} sends message {self.most_messages + 1} of the run: endless?")
        source.sending, destination.awaiting, destination.arrived = None, None, numbers
        for side in (source, destination):
            side.met_at = max(side.met_at, step)
            touched[side.number] = side


def _checked(rank: int, request: Any, ranks: int) -> tuple[tuple[int, list[Any]] | None, int | None]:
    """Return what a request sends, with its destination, and whom it receives from."""
    if not isinstance(request, Send | Receive | Exchange):
        raise RankProgramError(f"rank {rank} yields {_short(request)}, which is no Send, Receive or Exchange")
    sending = None
    if not isinstance(request, Receive):
        sending = _peer(rank, "sends to", request.to, ranks), _numbers(rank, request.numbers)
    awaiting = None if isinstance(request, Send) else _peer(rank, "receives from", request.source, ranks)
    return sending, awaiting


def _peer(rank: int, does: str, peer: Any, ranks: int) -> int:
    if isinstance(peer, bool) or not isinstance(peer, int) or not 0 <= peer < ranks:
        raise RankProgramError(f"rank {rank} {does} rank {_short(peer)}, but ranks are 0 to {ranks - 1}")
    if peer == rank:
        raise RankProgramError(f"rank {rank} {does} itself")
    return peer


def _numbers(rank: int, numbers: Any) -> list[Any]:
    """Return a copy of what is sent: ranks share no memory."""
    try:
        copied = list(numbers)
    except TypeError:
        copied = [None]
    if not all(isinstance(number, Real) for number in copied):
        raise RankProgramError(f"rank {rank} sends {_short(numbers)}, which is no list of numbers")
    return copied


def _finite(name: str, value: Any) -> Any:
    """Return a number as it is, so that integers stay exact."""
    finite_number(name, value)
    return value


def _named(rank: _Rank) -> str:
    return f"rank {rank.number}, which has returned" if rank.returned else f"rank {rank.number}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
