"""Simulators: what simulated ranks send, hold and compute: the account of a run, and the memory of one rank.

It needs the standard library alone; arrays are known by their attributes.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any, NamedTuple, TypeVar

from snippets.domain import nonnegative_integer, text

Watched = TypeVar("Watched")


class Message(NamedTuple):
    """One message: in which step, counted from 1, from whom, to whom, how many bytes, and for what operation."""

    step: int
    source: int
    destination: int
    sent_bytes: int
    operation: str


@dataclass(frozen=True)
class Account:
    """What a run cost, rank by rank.

    Attributes:
        ranks: how many there are.
        messages: all messages, in the order of their steps.
        operations: for each name under which operations were counted, those of each rank.
        start_bytes: what each rank held when its first program began.
        held_bytes: what each rank holds now.
        peak_bytes: the most that each rank held at any time.
        kind_peak_bytes: for each kind of array, the most that each rank held of it at any time.

    Convention: bytes without headers. A message without data is a message.

    Example:
        >>> account = Account(2, (Message(1, 0, 1, 8, "send"), Message(2, 0, 1, 4, "all_gather")))
        >>> account.sent_bytes, account.received_bytes, account.sent_messages, account.link_bytes, account.steps
        ((12, 0), (0, 12), (2, 0), {(0, 1): 12}, 2)
        >>> account.of("send").sent_bytes
        (8, 0)
    """

    ranks: int
    messages: tuple[Message, ...]
    operations: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    start_bytes: tuple[int, ...] = ()
    held_bytes: tuple[int, ...] = ()
    peak_bytes: tuple[int, ...] = ()
    kind_peak_bytes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """Length of the longest chain of messages of which each had to wait for the one before."""
        return max((message.step for message in self.messages), default=0)

    @property
    def sent_bytes(self) -> tuple[int, ...]:
        """Per rank the bytes that it sent."""
        return self._per_rank((message.source, message.sent_bytes) for message in self.messages)

    @property
    def received_bytes(self) -> tuple[int, ...]:
        """Per rank the bytes that it received."""
        return self._per_rank((message.destination, message.sent_bytes) for message in self.messages)

    @property
    def sent_messages(self) -> tuple[int, ...]:
        """Per rank the messages that it sent."""
        return self._per_rank((message.source, 1) for message in self.messages)

    @property
    def received_messages(self) -> tuple[int, ...]:
        """Per rank the messages that it received."""
        return self._per_rank((message.destination, 1) for message in self.messages)

    @property
    def link_bytes(self) -> dict[tuple[int, int], int]:
        """The bytes from one rank to another, for each pair between which there was a message."""
        links: Counter[tuple[int, int]] = Counter()
        for message in self.messages:
            links[message.source, message.destination] += message.sent_bytes
        return dict(sorted(links.items()))

    def of(self, operation: str) -> Account:
        """Return the account with the messages of one operation alone: ``"send"``, or a collective's name."""
        wanted = text("operation", operation)
        return replace(self, messages=tuple(message for message in self.messages if message.operation == wanted))

    def _per_rank(self, amounts: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        totals = [0] * self.ranks
        for rank, amount in amounts:
            totals[rank] += amount
        return tuple(totals)


class Memory:
    """The bytes that one rank holds, by kind and in all, now and at the most. It needs no machine around it.

    Attributes:
        held: bytes of each kind now.
        peak: the most bytes of each kind at any time.
        peak_bytes: the most bytes at any time, all kinds together.

    Example:
        >>> import numpy as np
        >>> memory = Memory()
        >>> memory.hold(8, "parameters")
        >>> gathered = memory.watch(np.zeros(3), "buffers")
        >>> del gathered
        >>> memory.release(8, "parameters")
        >>> memory.held_bytes, memory.peak_bytes, memory.peak
        (0, 32, {'parameters': 8, 'buffers': 24})
    """

    def __init__(self) -> None:
        self.held: dict[str, int] = {}
        self.peak: dict[str, int] = {}
        self.peak_bytes = 0

    @property
    def held_bytes(self) -> int:
        """Bytes held now."""
        return sum(self.held.values())

    def hold(self, size_bytes: int, kind: str = "arrays") -> None:
        """Count bytes from now on.

        Args:
            size_bytes: at least 0.
            kind: what is held.
        """
        more = nonnegative_integer("size_bytes", size_bytes)
        self.held[kind] = self.held.get(text("kind", kind), 0) + more
        self.peak[kind] = max(self.peak.get(kind, 0), self.held[kind])
        self.peak_bytes = max(self.peak_bytes, self.held_bytes)

    def release(self, size_bytes: int, kind: str = "arrays") -> None:
        """Count bytes no more.

        Args:
            size_bytes: at least 0, and at most what is held.
            kind: what is held.
        """
        held = self.held.get(text("kind", kind), 0)
        if nonnegative_integer("size_bytes", size_bytes) > held:
            raise ValueError(f"size_bytes must be at most {held}, what is held of kind {kind!r}, got {size_bytes!r}")
        self.held[kind] = held - size_bytes

    def watch(self, array: Watched, kind: str = "arrays") -> Watched:
        """Count a NumPy array until nothing refers to it any more, and return it."""
        if not is_array(array):
            raise ValueError(f"array must be a NumPy array, got {array!r}")
        size_bytes: int = array.nbytes  # type: ignore[attr-defined]
        self.hold(size_bytes, kind)
        weakref.finalize(array, self.release, size_bytes, kind).atexit = False
        return array


def is_array(value: Any) -> bool:
    """Say whether a value is a NumPy array, without NumPy.

    Args:
        value: anything.

    Example:
        >>> import numpy as np
        >>> is_array(np.zeros(2)), is_array(np.float64(2)), is_array([0.0])
        (True, False, False)
    """
    return hasattr(value, "nbytes") and hasattr(value, "reshape") and not isinstance(value, Number)
