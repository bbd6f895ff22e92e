"""Simulators: runs one program on every rank, which has a list of numbers and one port, and counts what it costs.

A rank program ``program(rank, ranks, numbers)`` is one of ``snippets.simulation.machine`` that sees its own numbers
alone and asks for nothing but ``Send``, ``Receive`` and ``Exchange``, one at a time.

>>> def shift(rank, ranks, numbers):
...     arrived = yield Exchange(to=(rank + 1) % ranks, numbers=numbers, source=(rank - 1) % ranks)
...     return arrived
>>> done = run_programs(shift, [[1, 1], [2, 2], [3, 3]])
>>> done.results, done.account.sent_bytes, done.account.steps
(([3, 3], [1, 1], [2, 2]), (16, 16, 16), 1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, NamedTuple

from snippets.domain import each, finite_number, positive_integer, shortened
from snippets.simulation.account import Account
from snippets.simulation.machine import Exchange, Machine, Program, RankProgramError, Receive, Send, as_request


class ProgramRun(NamedTuple):
    """What each rank returned, and the account."""

    results: tuple[Any, ...]
    account: Account


def run_programs(
    program: Callable[..., Program],
    vectors: Sequence[Sequence[Any]],
    *,
    number_bytes: int = 8,
    most_requests: int | None = 100_000,
) -> ProgramRun:
    """Run a program on every rank, deliver its messages, and count them.

    Args:
        program: a generator function, called once for each rank with the keyword arguments ``rank``, ``ranks`` (their
            number) and ``numbers`` (a list of its own, which it may change).
        vectors: for each rank the numbers that it brings.
        number_bytes: bytes that one number takes on the wire.
        most_requests: the run is given up after so many; ``None`` for programs that are known to end.

    Returns:
        What each rank returned, and the account.

    Raises:
        Deadlock: if ranks wait and no message can move; it says who waits for whom.
        RankProgramError: if a program yields something else than a request, names a rank that does not exist or itself,
            sends something else than real numbers, or makes too many requests.

    Convention: as ``Machine``. Every number counts ``number_bytes``, in an array too.
    Leaves out: as ``Machine``, and collectives: those are what such a program is written for.

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
        >>> done.results[0], done.account.received_bytes, done.account.steps
        ([111, 222], (32, 0, 0), 2)
    """
    if not callable(program):
        raise ValueError(f"program must be a generator function, got {shortened(program)}")
    brought = each("vectors", vectors, lambda name, vector: each(name, vector, _finite))
    if not brought:
        raise ValueError("vectors must hold the numbers of at least one rank, got none")
    ranks = len(brought)
    if most_requests is not None:
        most_requests = positive_integer("most_requests", most_requests)
    machine = Machine(ranks, number_bytes=number_bytes, most_requests=most_requests, admit=_messages_alone)
    programs = [program(rank=rank, ranks=ranks, numbers=list(numbers)) for rank, numbers in enumerate(brought)]
    return ProgramRun(machine.run(programs), machine.account)


def _messages_alone(rank: int, asked: Any) -> Any:
    """Let ranks send lists of numbers and receive."""
    request = as_request(rank, asked, (Send, Receive, Exchange))
    if isinstance(request, Receive):
        return request
    try:
        numbers = list(request.numbers)
    except TypeError:
        numbers = [None]
    if not all(isinstance(number, Real) for number in numbers):
        raise RankProgramError(f"rank {rank} sends {shortened(request.numbers)}, which is no list of numbers")
    return request._replace(numbers=numbers)


def _finite(name: str, value: Any) -> Any:
    """Return a number as it is, so that integers stay exact."""
    finite_number(name, value)
    return value
