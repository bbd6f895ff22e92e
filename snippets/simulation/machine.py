"""Simulators: one machine for every chapter: ranks that run programs, each with a memory of its own, and one account.

A rank program is a generator. It yields what it asks for, a request, and is resumed with the answer once that is met:

- ``yield Send(to, numbers)`` ends when the other rank has received, ``yield Isend(to, numbers)`` at once;
- ``arrived = yield Receive(source)`` waits for what that rank sends;
- ``arrived = yield Exchange(to, numbers, source)`` sends and receives at the same time;
- ``total = yield AllReduce(numbers)``, and likewise ``ReduceScatter``, ``AllGather``, ``Broadcast``, ``AllToAll`` and
  ``Barrier``, wait for all ranks, or for those of a ``group``;
- ``yield Compute("product_flops", 8)`` puts operations into the account;
- ``answers = yield [request, request]`` asks for several things at the same time.

What travels is a list of numbers, a NumPy array, or a list of arrays; ranks get copies. The machine itself needs the
standard library alone, so that programs of lists run in a browser.

>>> def shift(rank, ranks, numbers):
...     arrived = yield Exchange(to=(rank + 1) % ranks, numbers=numbers, source=(rank - 1) % ranks)
...     total = yield AllReduce(arrived)
...     return arrived, total
>>> machine = Machine(3)
>>> machine.run([shift(rank, 3, [rank, rank]) for rank in range(3)])[0]
([2, 2], [3, 3])
>>> machine.account.sent_bytes, machine.account.steps
((32, 40, 40), 5)
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from numbers import Number
from typing import Any, NamedTuple, get_args

from snippets.domain import at_most, each, positive_integer, shortened
from snippets.simulation.account import Account, Memory, Message, is_array
from snippets.simulation.algorithms import build_collective
from snippets.simulation.schedule import Schedule, ScheduledSend, chunk_bounds

MOST_RANKS = 2**16  # each is simulated

Group = Sequence[int] | None


class Send(NamedTuple):
    """Give ``numbers`` to rank ``to``, and wait until it has received them."""

    to: int
    numbers: Any


class Isend(NamedTuple):
    """Give ``numbers`` to rank ``to`` and go on; they wait until it receives them."""

    to: int
    numbers: Any


class Receive(NamedTuple):
    """Wait for the numbers that rank ``source`` sends."""

    source: int


class Exchange(NamedTuple):
    """Send ``numbers`` to rank ``to`` and, at the same time, receive from rank ``source``, which may be another."""

    to: int
    numbers: Any
    source: int


class AllReduce(NamedTuple):
    """Add up numbers over the ranks, entry by entry; each rank gets all sums, in new memory or in ``into``."""

    numbers: Any
    into: Any = None
    group: Group = None


class ReduceScatter(NamedTuple):
    """Add up numbers over the ranks, entry by entry; the q-th rank gets the q-th chunk of the sums' rows."""

    numbers: Any
    into: Any = None
    group: Group = None


class AllGather(NamedTuple):
    """Join what the ranks bring, in the order of the ranks; they may bring different numbers of rows."""

    numbers: Any
    into: Any = None
    group: Group = None


class Broadcast(NamedTuple):
    """Give what rank ``root`` brings to the others; the root goes on with its own.

    ``algorithm`` is a broadcast of ``snippets.simulation.algorithms``.
    """

    root: int
    numbers: Any = None
    group: Group = None
    algorithm: str = "binomial"


class AllToAll(NamedTuple):
    """Give each rank a parcel of its own, of any length; get the parcels for this rank, its own among them."""

    parcels: Sequence[Any]
    group: Group = None


class Barrier(NamedTuple):
    """Wait until all ranks have come. Nothing is sent: what a barrier costs is left out."""

    group: Group = None


class Compute(NamedTuple):
    """Put ``amount`` operations under a name into the rank's account."""

    operation: str
    amount: int


Request = (
    Send | Isend | Receive | Exchange | AllReduce | ReduceScatter | AllGather | Broadcast | AllToAll | Barrier | Compute
)
Program = Generator[Any, Any, Any]
REQUESTS: dict[str, Any] = {kind.__name__: kind for kind in get_args(Request)}
"""All requests by their names."""
_COLLECTIVE = (AllReduce, ReduceScatter, AllGather, Broadcast, AllToAll, Barrier)


class RankProgramError(Exception):
    """A rank program asked for something that cannot be done; the message names the rank.

    >>> Machine(1).run([None])
    Traceback (most recent call last):
    ...
    snippets.simulation.machine.RankProgramError: rank 0 returns at once: a rank program yields its requests
    """


class Deadlock(RankProgramError):
    """No rank can go on; the message says who waits for whom.

    >>> def everybody_sends_first(rank):
    ...     yield Send(1 - rank, [1])
    ...     return (yield Receive(1 - rank))
    >>> Machine(2).run([everybody_sends_first(0), everybody_sends_first(1)])
    Traceback (most recent call last):
    ...
    snippets.simulation.machine.Deadlock: rank 0 waits to send to rank 1; rank 1 waits to send to rank 0
    """


def as_request(rank: int, asked: Any, kinds: Sequence[type[Any]] = tuple(REQUESTS.values())) -> Any:
    """Return what a program has yielded as a request of this module.

    Args:
        rank: the rank that asks.
        asked: what has the name and the fields of a request, whatever module its class is from.
        kinds: the requests that are allowed.

    Returns:
        The request.

    Raises:
        RankProgramError: if it is no request of the allowed kinds.

    Example:
        >>> as_request(0, [1, 2], (Send, Receive))
        Traceback (most recent call last):
        ...
        snippets.simulation.machine.RankProgramError: rank 0 yields [1, 2], which is no Send or Receive
    """
    names = [kind.__name__ for kind in kinds]
    name = type(asked).__name__
    if name not in names or not all(hasattr(asked, field) for field in REQUESTS[name]._fields):
        allowed = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        raise RankProgramError(f"rank {rank} yields {shortened(asked)}, which is no {allowed}")
    return REQUESTS[name](*(getattr(asked, field) for field in REQUESTS[name]._fields))


def _as_asked(rank: int, asked: Any) -> Any:
    """Let a rank ask for anything."""
    return asked


class Machine:
    """Ranks that run programs, and the account of what they send, hold and compute.

    Args:
        ranks: how many there are.
        number_bytes: bytes of a number in a list; arrays have their own.
        most_requests: a run is given up after so many; ``None`` for programs that are known to end.
        admit: called as ``admit(rank, asked)`` with all that a program yields; returns what the machine takes for it,
            or raises ``RankProgramError``.

    Attributes:
        memories: the ranks' memories. An array that a rank gets is watched there, among the ``"buffers"``; one that it
            makes is counted if its program gives it to ``watch``. What a rank drops counts until its next request.

    Source: Thakur et al. 2005: rings for reduce-scatter, all-gather and all-reduce, pairwise messages for all-to-all.
    Convention: a message takes one step, whatever its length, and begins when both sides have asked for it. So a
        ``Send`` and then a ``Receive`` take two steps, an ``Exchange`` one; what a rank asks for at the same time goes
        at the same time. Messages between two ranks keep their order, and so do the collectives of a group: results,
        messages and steps do not depend on who is resumed first. Collectives cut arrays as ``numpy.array_split`` does,
        along the first axis, an all-reduce all entries. ``into`` may be a part of what the rank brings. What
        collectives add up counts as ``"reduction_flops"``.
    Leaves out: time, messages under way in the memories, and what programs tell each other through globals.

    Example:
        >>> def sum_at_rank_0(rank, ranks):
        ...     if rank:
        ...         return (yield Send(0, [rank]))
        ...     total = 0
        ...     for source in range(1, ranks):
        ...         total += (yield Receive(source))[0]
        ...     return total
        >>> machine = Machine(3, number_bytes=4)
        >>> machine.run([sum_at_rank_0(rank, 3) for rank in range(3)])
        (3, None, None)
        >>> machine.account.received_bytes, machine.account.steps
        ((8, 0, 0), 2)
    """

    def __init__(
        self,
        ranks: int,
        *,
        number_bytes: int = 8,
        most_requests: int | None = None,
        admit: Callable[[int, Any], Any] = _as_asked,
    ) -> None:
        self.ranks = at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS)
        self.memories = tuple(Memory() for _ in range(self.ranks))
        self._number_bytes = positive_integer("number_bytes", number_bytes)
        self._most_requests = math.inf if most_requests is None else positive_integer("most_requests", most_requests)
        if not callable(admit):
            raise ValueError(f"admit must be a function, got {admit!r}")
        self._admit = admit
        self._clocks = [0] * self.ranks
        self._start_bytes: tuple[int, ...] | None = None
        self._messages: list[Message] = []
        self._operations: dict[str, list[int]] = {}

    @property
    def account(self) -> Account:
        """What all programs so far have cost."""
        held = tuple(memory.held_bytes for memory in self.memories)
        kinds = dict.fromkeys(kind for memory in self.memories for kind in memory.peak)
        return Account(
            self.ranks,
            tuple(sorted(self._messages)),
            {name: tuple(amounts) for name, amounts in self._operations.items()},
            start_bytes=held if self._start_bytes is None else self._start_bytes,
            held_bytes=held,
            peak_bytes=tuple(memory.peak_bytes for memory in self.memories),
            kind_peak_bytes={kind: tuple(memory.peak.get(kind, 0) for memory in self.memories) for kind in kinds},
        )

    def run(self, programs: Sequence[Program]) -> tuple[Any, ...]:
        """Run one program on each rank until all have returned, and return their results.

        A program is a generator, or any object with the methods ``send``, ``throw`` and ``close`` of one. What it
        raises is not caught. The account goes on from one call to the next.

        Raises:
            Deadlock: if ranks wait and none can go on; it says who waits for whom.
            RankProgramError: if a program asks for something that cannot be done.
        """
        given = each("programs", programs, lambda _, program: program)
        if len(given) != self.ranks:
            raise ValueError(f"programs must be one for each of {self.ranks} ranks, got {len(given)}")
        if self._start_bytes is None:
            self._start_bytes = tuple(memory.held_bytes for memory in self.memories)
        run = _Run(self, [_Rank(rank, program, self._clocks[rank]) for rank, program in enumerate(given)])
        run.finish()
        self._clocks = [rank.clock for rank in run.ranks]
        return tuple(rank.result for rank in run.ranks)

    def _send(self, step: int, source: int, destination: int, parcel: list[Any], operation: str) -> None:
        """Count a message, whose parcel is a list of lists and arrays."""
        flat = [entry for piece in parcel for entry in ([piece] if is_array(piece) else piece)]
        size_bytes = sum(int(entry.nbytes) if is_array(entry) else self._number_bytes for entry in flat)
        self._messages.append(Message(step, source, destination, size_bytes, operation))

    def _given(self, rank: int, numbers: Any) -> Any:
        """Hand numbers over to a rank, whose memory counts the arrays among them."""
        for entry in [numbers] if is_array(numbers) else numbers:
            if is_array(entry):
                self.memories[rank].watch(entry, "buffers")
        return numbers

    def _count(self, rank: int, operation: Any, amount: Any) -> None:
        if not isinstance(operation, str) or isinstance(amount, bool) or not isinstance(amount, int) or amount < 0:
            said = f"rank {rank} counts {shortened(amount)} operations as {shortened(operation)}"
            raise RankProgramError(f"{said}, which have to be a whole number and a name")
        self._operations.setdefault(operation, [0] * self.ranks)[rank] += amount


class _Rank:
    """One rank's program, the step that it has reached, and how many things it waits for."""

    def __init__(self, number: int, program: Program, clock: int) -> None:
        if not all(callable(getattr(program, name, None)) for name in ("send", "throw", "close")):
            raise RankProgramError(f"rank {number} returns at once: a rank program yields its requests")
        self.number, self.program, self.clock = number, program, clock
        self.several = False
        self.answers: list[Any] = [None]
        self.waits = 0
        self.result: Any = None
        self.returned = False

    def resume(self) -> Any:
        """Run the program to its next request, which is returned, or to its end.

        The answers end with this call: what the program drops of them is free before its request is carried out.
        """
        try:
            return self.program.send(self.answers if self.several else self.answers.pop())
        except StopIteration as end:
            self.result, self.returned = end.value, True


@dataclass(eq=False)
class _Wait:
    """A request, or one half of an exchange, that is not met yet; the answer has its ``place`` among the rank's."""

    rank: _Rank
    place: int
    request: Any
    clock: int
    numbers: Any = None
    says: str = ""
    peers: tuple[int, ...] = ()
    holds_up: bool = True

    @property
    def name(self) -> str:
        return type(self.request).__name__


class _Run:
    """The ranks' programs from their beginning to their end, and all that they wait for."""

    def __init__(self, machine: Machine, ranks: list[_Rank]) -> None:
        self.machine, self.ranks = machine, ranks
        self.everyone = tuple(range(len(ranks)))
        self.ready = deque(ranks)
        self.requests = 0
        self.open: dict[_Wait, None] = {}
        self.sends: dict[tuple[int, int], deque[_Wait]] = defaultdict(deque)
        self.receives: dict[tuple[int, int], deque[_Wait]] = defaultdict(deque)
        self.meetings: dict[tuple[int, ...], list[deque[_Wait]]] = {}

    def finish(self) -> None:
        """Resume whoever can go on, until all have returned."""
        while self.ready:
            self._resume(self.ready.popleft())
        if self.open:
            waits = [self._wait_text(wait) for wait in sorted(self.open, key=lambda wait: wait.rank.number)]
            more = f"; and {len(waits) - 8} more" if len(waits) > 8 else ""
            raise Deadlock("; ".join(waits[:8]) + more)

    def _resume(self, rank: _Rank) -> None:
        asked = rank.resume()
        if not rank.returned:
            self._ask(rank, self.machine._admit(rank.number, asked))

    def _ask(self, rank: _Rank, asked: Any) -> None:
        """Note all that a rank asks for, and then carry out what is possible: no request waits for one beside it."""
        rank.several = isinstance(asked, list)
        requests = asked if rank.several else [asked]
        rank.answers = [None] * len(requests)
        self.requests += max(1, len(requests))
        if self.requests > self.machine._most_requests:
            said = f"rank {rank.number} makes request {self.machine._most_requests + 1} of the run"
            raise RankProgramError(f"{said}: endless?")
        possible = [action for place, request in enumerate(requests) for action in self._note(rank, place, request)]
        if not rank.waits:
            self.ready.append(rank)
        for action in possible:
            action()

    def _wait(self, rank: _Rank, place: int, request: Any, says: str, peers: tuple[int, ...], **more: Any) -> _Wait:
        wait = _Wait(rank, place, request, rank.clock, says=says, peers=peers, **more)
        self.open[wait] = None
        rank.waits += wait.holds_up
        return wait

    def _note(self, rank: _Rank, place: int, request: Any) -> list[Callable[[], None]]:
        """Note a request, and return what it may make possible."""
        request = as_request(rank.number, request)
        if isinstance(request, Compute):
            self.machine._count(rank.number, request.operation, request.amount)
            return []
        if isinstance(request, _COLLECTIVE):
            return [self._note_collective(rank, place, request)]
        possible = []
        if isinstance(request, Send | Isend | Exchange):
            possible.append(self._note_send(rank, place, request, holds_up=not isinstance(request, Isend)))
        if isinstance(request, Receive | Exchange):
            source = self._peer(rank.number, "receives from", request.source)
            wait = self._wait(rank, place, request, "waits to receive from", (source,))
            self.receives[source, rank.number].append(wait)
            possible.append(partial(self._deliver, source, rank.number))
        return possible

    def _note_send(self, rank: _Rank, place: int, request: Any, *, holds_up: bool) -> Callable[[], None]:
        to = self._peer(rank.number, "sends to", request.to)
        numbers = _copied(_checked(f"rank {rank.number} sends", request.numbers))
        wait = self._wait(rank, place, request, "waits to send to", (to,), numbers=numbers, holds_up=holds_up)
        self.sends[rank.number, to].append(wait)
        return partial(self._deliver, rank.number, to)

    def _note_collective(self, rank: _Rank, place: int, request: Any) -> Callable[[], None]:
        group = self._group(rank.number, request)
        wait = self._wait(rank, place, request, f"waits in {type(request).__name__} for", group)
        wait.numbers = _brought(wait)
        self.meetings.setdefault(group, [deque() for _ in group])[group.index(rank.number)].append(wait)
        return partial(self._meet, group)

    def _deliver(self, source: int, destination: int) -> None:
        """Move a message if the one side has sent to the other and this waits for it."""
        sends, receives = self.sends[source, destination], self.receives[source, destination]
        if sends and receives:
            send, receive = sends.popleft(), receives.popleft()
            step = max(send.clock, receive.clock) + 1
            self.machine._send(step, source, destination, [send.numbers], "send")
            receive.rank.answers[receive.place] = self.machine._given(destination, send.numbers)
            self._met(send, step)
            self._met(receive, step)

    def _met(self, wait: _Wait, step: int) -> None:
        """Let a rank go on if it waits for nothing else."""
        del self.open[wait]
        rank = wait.rank
        if wait.holds_up:
            rank.clock = max(rank.clock, step)
            rank.waits -= 1
            if not rank.waits:
                self.ready.append(rank)

    def _meet(self, group: tuple[int, ...]) -> None:
        """Carry out a collective if all of its group have come."""
        queues = self.meetings[group]
        if not all(queues):
            return
        waits = [queue.popleft() for queue in queues]
        _check_agreement(waits)
        clocks = [wait.clock for wait in waits]
        if isinstance(waits[0].request, Barrier):
            clocks = [max(clocks)] * len(clocks)
        else:
            held = self._carry_out(waits, clocks)
            results = [_taken(wait, held[place], place) for place, wait in enumerate(waits)]
            for wait, result in zip(waits, results, strict=True):
                wait.rank.answers[wait.place] = self._handed_over(wait, result)
        for wait, clock in zip(waits, clocks, strict=True):
            self._met(wait, clock)

    def _carry_out(self, waits: list[_Wait], clocks: list[int]) -> list[list[Any]]:
        """Run a collective message by message; return each rank's chunks, and set the steps that the ranks reach."""
        schedule = _schedule(waits)
        group = [wait.rank.number for wait in waits]
        held = [list(wait.numbers) for wait in waits]
        for sends in schedule.rounds:
            before = clocks.copy()
            parcels = [[held[send.source][chunk] for chunk in _chunks(send)] for send in sends]
            for send, parcel in zip(sends, parcels, strict=True):
                step = max(before[send.source], before[send.destination]) + 1
                clocks[send.source] = max(clocks[send.source], step)
                clocks[send.destination] = max(clocks[send.destination], step)
                ends = group[send.source], group[send.destination]
                self.machine._send(step, *ends, parcel, schedule.primitive)
                kept = held[send.destination]
                for chunk, piece in zip(_chunks(send), parcel, strict=True):
                    kept[chunk] = _added(kept[chunk], piece) if send.combine else piece
                if send.combine:
                    self.machine._count(ends[1], "reduction_flops", sum(map(_entries, parcel)))
        return held

    def _handed_over(self, wait: _Wait, result: Any) -> Any:
        """Give a rank the result of a collective, where it wants it."""
        request, rank = wait.request, wait.rank.number
        if isinstance(request, Broadcast) and request.root == rank:
            return request.numbers
        into = getattr(request, "into", None)
        if into is None:
            return self.machine._given(rank, result)
        if _shape(into) != _shape(result):
            raise RankProgramError(f"rank {rank} gets {_form(result)} from {wait.name}, and into is {_form(into)}")
        into[:] = result
        return into

    def _peer(self, rank: int, does: str, peer: Any) -> int:
        last = len(self.ranks) - 1
        if type(peer) is not int or not 0 <= peer <= last:
            raise RankProgramError(f"rank {rank} {does} rank {shortened(peer)}, but ranks are 0 to {last}")
        if peer == rank:
            raise RankProgramError(f"rank {rank} {does} itself")
        return peer

    def _group(self, rank: int, request: Any) -> tuple[int, ...]:
        """Return the ranks that a collective is for, or say why they are no group."""
        if request.group is None:
            return self.everyone
        members = tuple(request.group) if isinstance(request.group, list | tuple | range) else ()
        known = all(type(member) is int and 0 <= member < len(self.ranks) for member in members)
        if rank not in members or not known or len(set(members)) < len(members):
            said = f"rank {rank} asks for {type(request).__name__} with group {shortened(request.group)}"
            raise RankProgramError(f"{said}, which has to be a list of ranks, each once, {rank} among them")
        return members

    def _wait_text(self, wait: _Wait) -> str:
        """Say for whom a rank waits."""
        meeting = self.meetings[wait.peers] if isinstance(wait.request, _COLLECTIVE) else [()]
        late = [rank for rank, queue in zip(wait.peers, meeting, strict=True) if not queue]
        returned = ", which has returned" if self.ranks[late[0]].returned else ""
        more = f" and {len(late) - 1} more" if len(late) > 1 else ""
        return f"rank {wait.rank.number} {wait.says} rank {late[0]}{returned}{more}"


# What a rank brings to a collective, as chunks at their addresses in a schedule, and what it takes of them at the end.

_ALGORITHMS = {
    "AllReduce": ("all_reduce", "ring"),
    "ReduceScatter": ("reduce_scatter", "ring"),
    "AllGather": ("all_gather", "ring"),
    "AllToAll": ("all_to_all", "pairwise"),
}


def _brought(wait: _Wait) -> list[Any]:
    """Return the chunks that a rank brings; ``None`` stands for what it has yet to receive."""
    request, rank, ranks = wait.request, wait.rank.number, len(wait.peers)
    said, before = f"rank {rank} asks for {wait.name} of", wait.peers.index(rank)
    after = ranks - before - 1
    match request:
        case Broadcast(root, numbers):
            if root not in wait.peers:
                raise RankProgramError(f"rank {rank} asks for Broadcast from {shortened(root)}, no rank of the group")
            return [_checked(said, numbers) if root == rank else None]
        case AllGather(numbers):
            return [None] * before + [_checked(said, numbers)] + [None] * after
        case AllToAll(parcels):
            if not isinstance(parcels, list | tuple) or len(parcels) != ranks:
                raise RankProgramError(f"{said} {shortened(parcels)}, which is no list of {ranks} parcels")
            own = [_checked(said, parcel) for parcel in parcels]
            return [None] * (ranks * before) + own + [None] * (ranks * after)
        case AllReduce(numbers) | ReduceScatter(numbers):
            rows = _checked(said, numbers)
            rows = rows.reshape(-1) if isinstance(request, AllReduce) and is_array(rows) else rows
            return [rows[start:stop] for start, stop in chunk_bounds(len(rows), ranks)]
    return []


def _taken(wait: _Wait, chunks: list[Any], place: int) -> Any:
    """Return what a rank has of a collective, as a copy."""
    match wait.request:
        case ReduceScatter():
            return _copied(chunks[place])
        case Broadcast():
            return _copied(chunks[0])
        case AllToAll(parcels):
            return [_copied(parcel) for parcel in chunks[place :: len(parcels)]]
        case AllReduce(numbers) if is_array(numbers):
            return _joined(chunks).reshape(numbers.shape)
    return _joined(chunks)


def _check_agreement(waits: list[_Wait]) -> None:
    """Raise ``RankProgramError`` unless all ranks of a group ask for one collective of numbers that fit."""
    first, asked = waits[0], _asked_for(waits[0])
    for wait in waits[1:]:
        name, form = _asked_for(wait)
        here, there = f"rank {first.rank.number}", f"rank {wait.rank.number}"
        if name != asked[0]:
            raise RankProgramError(f"{here} asks for {asked[0]}, {there} asks for {name}")
        if form != asked[1]:
            mine, others = _form(first.request.numbers), _form(wait.request.numbers)
            raise RankProgramError(f"{here} brings {mine} to {name}, {there} brings {others}")


def _asked_for(wait: _Wait) -> tuple[str, Any]:
    """Return in what the ranks of a group have to agree: what they ask for, and the form of the numbers."""
    match wait.request:
        case Broadcast(root=root, algorithm=algorithm):
            return f"Broadcast from rank {root} by {shortened(algorithm)}", None
        case AllReduce(numbers) | ReduceScatter(numbers):
            return wait.name, _form(numbers)
        case AllGather(numbers):
            return wait.name, (numbers.shape[1:], numbers.dtype) if is_array(numbers) else "list"
    return wait.name, None


def _schedule(waits: list[_Wait]) -> Schedule:
    """Return who sends which chunk to whom."""
    request, ranks = waits[0].request, len(waits)
    if isinstance(request, Broadcast):
        return _built("broadcast", request.algorithm, ranks, 1, waits[0].peers.index(request.root))
    return _built(*_ALGORITHMS[waits[0].name], ranks, ranks, 0)


@lru_cache(maxsize=64)
def _built(primitive: str, algorithm: str, ranks: int, length: int, root: int) -> Schedule:
    return build_collective(primitive, algorithm, ranks=ranks, length=length, root=root)


def _chunks(send: ScheduledSend) -> list[int]:
    """Return the addresses that a message carries."""
    return [chunk for start, stop in send.ranges for chunk in range(start, stop)]


# Lists and arrays.


def _checked(said: str, numbers: Any) -> Any:
    """Return what may travel, or raise ``RankProgramError``."""
    if is_array(numbers) and numbers.ndim:
        return numbers
    if isinstance(numbers, list | tuple) and all(isinstance(entry, Number) or is_array(entry) for entry in numbers):
        return numbers
    raise RankProgramError(f"{said} {shortened(numbers)}, which is neither a list of numbers nor an array")


def _copied(numbers: Any) -> Any:
    """Return a copy: ranks share no memory."""
    if is_array(numbers):
        return numbers.copy()
    return [entry.copy() if is_array(entry) else entry for entry in numbers]


def _joined(pieces: list[Any]) -> Any:
    """Return lists, or arrays along their first axis, joined in new memory."""
    first = pieces[0]
    if not is_array(first):
        return _copied([entry for piece in pieces for entry in piece])
    joined, start = type(first)((sum(map(len, pieces)), *first.shape[1:]), first.dtype), 0
    for piece in pieces:
        joined[start : start + len(piece)] = piece
        start += len(piece)
    return joined


def _added(mine: Any, other: Any) -> Any:
    """Return the sum, entry by entry."""
    return mine + other if is_array(mine) else [one + more for one, more in zip(mine, other, strict=True)]


def _entries(numbers: Any) -> int:
    return int(numbers.size) if is_array(numbers) else sum(getattr(entry, "size", 1) for entry in numbers)


def _shape(numbers: Any) -> tuple[int, ...] | None:
    if is_array(numbers):
        return tuple(numbers.shape)
    return (len(numbers),) if isinstance(numbers, list | tuple) else None


def _form(numbers: Any) -> str:
    if is_array(numbers):
        return f"an array of shape {numbers.shape} and {numbers.dtype}"
    return f"a list of {len(numbers)} numbers" if isinstance(numbers, list | tuple) else shortened(numbers)
