"""Runs the book's schedules on a process group: every round one batch of ``isend`` and ``irecv``, all bytes counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import torch
import torch.distributed as dist

from snippets import Schedule, ScheduledSend
from snippets.simulation.schedule import Range


@dataclass
class Tally:
    """What one rank handed to the engine: counted from the tensors that were sent, received and added."""

    sent_bytes: int = 0
    received_bytes: int = 0
    reduced_bytes: int = 0
    sent_messages: int = 0
    rounds: list[tuple[int, int, int]] = field(default_factory=list)  # messages, bytes and reduced bytes of a port


class _Arrival(NamedTuple):
    send: ScheduledSend
    buffer: torch.Tensor
    in_place: bool


class Executor:
    """One rank's part of a schedule, laid out once and run as often as wanted.

    A message without elements (a barrier's, or that of an empty chunk) carries a token of one element, for an engine
    need not wait for a message of no bytes; the token is not counted.
    """

    def __init__(self, schedule: Schedule, *, rank: int, dtype: torch.dtype, device: torch.device) -> None:
        self.schedule, self.rank = schedule, rank
        self.store = torch.zeros(schedule.size, dtype=dtype, device=device)
        self.token = torch.zeros(1, dtype=dtype, device=device)
        self.rounds = [self._round(sends) for sends in schedule.rounds]

    def _round(self, sends: tuple[ScheduledSend, ...]) -> tuple[list[ScheduledSend], list[_Arrival]]:
        """Return what this rank sends in a round, and where what it receives goes."""
        leaving = [send for send in sends if send.source == self.rank]
        arriving = []
        for send in sends:
            if send.destination == self.rank:
                kept = any(_overlap(send.ranges, other.ranges) for other in leaving)
                in_place = not send.combine and not kept and len(send.ranges) == 1
                arriving.append(_Arrival(send, self._buffer(send, in_place), in_place))
        return leaving, arriving

    def _buffer(self, send: ScheduledSend, in_place: bool) -> torch.Tensor:
        if in_place:
            return self.store[slice(*send.ranges[0])]
        return torch.zeros(max(1, send.elements), dtype=self.store.dtype, device=self.store.device)

    def _payload(self, send: ScheduledSend) -> torch.Tensor:
        pieces = [self.store[start:stop] for start, stop in send.ranges]
        return pieces[0] if len(pieces) == 1 else torch.cat(pieces) if pieces else self.token

    def load(self, values: torch.Tensor) -> None:
        """Put in what the rank brings: the elements of ``schedule.input_ranges(rank)`` one after the other."""
        first = 0
        for start, stop in self.schedule.input_ranges(self.rank):
            self.store[start:stop] = values[first : first + stop - start]
            first += stop - start

    def result(self) -> torch.Tensor:
        """Return a copy of what the primitive leaves this rank."""
        pieces = [self.store[start:stop] for start, stop in self.schedule.output_ranges(self.rank)]
        return torch.cat([self.store[:0], *pieces])

    def run(self) -> Tally:
        """Run all rounds on what is loaded; what a round sends was there before it."""
        tally = Tally()
        for leaving, arriving in self.rounds:
            out = [(send, self._payload(send)) for send in leaving]
            work = [dist.P2POp(dist.isend, payload, send.destination) for send, payload in out]
            work += [dist.P2POp(dist.irecv, arrival.buffer, arrival.send.source) for arrival in arriving]
            for request in dist.batch_isend_irecv(work) if work else ():
                request.wait()
            for arrival in arriving:
                if not arrival.in_place:
                    self._take(arrival)
            self._count(tally, out, arriving)
        return tally

    def _take(self, arrival: _Arrival) -> None:
        """Add what arrived to the rank's own, or put it in its place."""
        first = 0
        for start, stop in arrival.send.ranges:
            piece = arrival.buffer[first : first + stop - start]
            if arrival.send.combine:
                self.store[start:stop] += piece
            else:
                self.store[start:stop] = piece
            first += stop - start

    def _count(self, tally: Tally, out: list[tuple[ScheduledSend, torch.Tensor]], arriving: list[_Arrival]) -> None:
        sent = sum(payload.nbytes for _, payload in out if payload is not self.token)
        got = [arrival.buffer.nbytes if arrival.send.ranges else 0 for arrival in arriving]
        added = sum(size for size, arrival in zip(got, arriving, strict=True) if arrival.send.combine)
        tally.sent_bytes += sent
        tally.received_bytes += sum(got)
        tally.reduced_bytes += added
        tally.sent_messages += len(out)
        tally.rounds.append((max(len(out), len(arriving)), max(sent, sum(got)), added))


def _overlap(some: tuple[Range, ...], others: tuple[Range, ...]) -> bool:
    return any(start < last and first < stop for start, stop in some for first, last in others)
