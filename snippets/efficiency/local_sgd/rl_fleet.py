"""Simulators: replicas that write sequences token by token, a trainer, and weights of which some may be old.

Nothing here uses ``snippets.efficiency.local_sgd.rl_formulas``, so that the one can prove the other.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from snippets.domain import (
    at_most,
    nonnegative_integer,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
)

IntArray = npt.NDArray[np.int64]


class RlFleetRun(NamedTuple):
    """What a clock counted.

    Attributes:
        updates_s: when each update of the weights was done.
        generating_share: of the replicas' time until the last update, in which a sequence was written.
        training_share: of the same time, in which the trainer computed.
        staleness: of all trained sequences, how many had been begun with weights of how many updates ago.

    >>> run = RlFleetRun((2.0, 4.0, 6.0), 0.5, 0.25, {0: 8})
    >>> run.step_s
    2.0
    """

    updates_s: tuple[float, ...]
    generating_share: float
    training_share: float
    staleness: dict[int, int]

    @property
    def step_s(self) -> float:
        """The mean time between updates in the second half of the run.

        >>> RlFleetRun((1.0, 3.0, 6.0, 9.0), 0.5, 0.25, {0: 8}).step_s
        3.0
        """
        last = len(self.updates_s) - 1
        first = last // 2
        if last == first:
            return self.updates_s[-1]
        return (self.updates_s[last] - self.updates_s[first]) / (last - first)


def drawn_lengths(*, batches: int, sequences: int, mean_tokens: float, longest_tokens: int, seed: int) -> IntArray:
    """Draw how long answers are: each token is the last with the same probability, and the longest are cut.

    Args:
        batches: how many batches; with ``sequences`` at most 2²⁰ answers in all.
        sequences: of a batch.
        mean_tokens: of an answer that nothing cuts, at least 1.
        longest_tokens: where answers are cut.
        seed: of the random numbers, at least 0.

    Returns:
        Tokens, of shape (batches, sequences).

    Example:
        >>> drawn_lengths(batches=2, sequences=3, mean_tokens=50, longest_tokens=100, seed=1).shape
        (2, 3)
    """
    count, own = positive_integer("batches", batches), positive_integer("sequences", sequences)
    at_most("batches times sequences", count * own, 2**20)
    mean = number_between("mean_tokens", mean_tokens, low=1, high=float(2**40))
    longest = at_most("longest_tokens", positive_integer("longest_tokens", longest_tokens), 2**40)
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    lengths: IntArray = np.minimum(rng.geometric(1 / mean, (count, own)), longest)  # (batches, sequences)
    return lengths


def simulated_rl_run(
    lengths: Sequence[Sequence[int]],
    *,
    replicas: int,
    token_step_s: float,
    sequence_s: float = 0,
    training_s: float,
    moving_s: float = 0,
    steps_off: int,
    batches_at_once: int = 1,
) -> RlFleetRun:
    """Run steps of reinforcement learning on a clock, sequence by sequence.

    A batch may begin as soon as the weights are at most ``steps_off`` updates old. Its sequences are dealt to the
    replicas in turn. When the last one ends, it waits for the trainer, and after its training everybody stands while
    the weights move. With ``steps_off`` 0 the replicas and the trainer take turns, as on one fleet.

    Args:
        lengths: tokens of each answer, of shape (batches, sequences); at most 2¹⁶ answers.
        replicas: that generate.
        token_step_s: what a replica takes to give each of its sequences one token more: the weights are read.
        sequence_s: what each sequence in hand adds to that, at least 0: its cache is read.
        training_s: of a batch, at least 0.
        moving_s: for which all stand after each training, at least 0.
        steps_off: how many updates may come between the weights that begin a sequence and those that it trains,
            at least 0.
        batches_at_once: how many batches the replicas may have in hand; with 1 a batch waits until the last one's
            longest sequence has ended. At most ``steps_off`` + 1 ever are.

    Returns:
        When each update was done, and how busy both sides were until the last.

    Example:
        >>> run = simulated_rl_run([[3, 1]] * 8, replicas=2, token_step_s=1, training_s=2, steps_off=1)
        >>> run.step_s, run.staleness
        (3.0, {0: 2, 1: 14})
    """
    table = _table(lengths)
    fleet = _Fleet(
        at_most("replicas", positive_integer("replicas", replicas), 2**12),
        number_between("token_step_s", positive_number("token_step_s", token_step_s), low=1e-12, high=1e12),
        number_between("sequence_s", sequence_s, low=0, high=1e12),
    )
    training = number_between("training_s", nonnegative_number("training_s", training_s), low=0, high=1e12)
    moving = number_between("moving_s", nonnegative_number("moving_s", moving_s), low=0, high=1e12)
    off, at_once = nonnegative_integer("steps_off", steps_off), positive_integer("batches_at_once", batches_at_once)
    now, updates, begun, generated = 0.0, 0, 0, 0
    left = [len(batch) for batch in table]
    done: list[float] = []
    stale: Counter[int] = Counter()
    training_until: float | None = None
    while updates < len(table):
        while begun < len(table) and begun - updates <= off and begun - generated < at_once:
            for place, tokens in enumerate(table[begun]):
                fleet.give(place % fleet.replicas, begun, tokens)
            stale[begun - updates] += len(table[begun])
            begun += 1
        if training_until is None and generated > updates:
            training_until = now + training
        coming = fleet.next_end_s()
        if training_until is not None and training_until - now <= coming:
            fleet.go_on(training_until - now)
            now = training_until + moving  # all stand while weights move
            updates, training_until = updates + 1, None
            done.append(now)
            continue
        now += coming
        for batch in fleet.go_on(coming, ended=True):
            left[batch] -= 1
        while generated < begun and left[generated] == 0:
            generated += 1
    busy = sum(fleet.busy_s) / len(fleet.busy_s)
    whole = done[-1] or 1.0
    return RlFleetRun(tuple(done), busy / whole, training * len(table) / whole, dict(sorted(stale.items())))


@dataclass
class _Fleet:
    """Replicas, each with the sequences in hand as a heap of (tokens at which it ends, batch)."""

    replicas: int
    token_step_s: float
    sequence_s: float
    hands: list[list[tuple[float, int]]] = field(init=False)
    written: list[float] = field(init=False)  # tokens that each replica has written to every sequence so far
    busy_s: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.hands = [[] for _ in range(self.replicas)]
        self.written = [0.0] * self.replicas
        self.busy_s = [0.0] * self.replicas

    def give(self, replica: int, batch: int, tokens: int) -> None:
        heapq.heappush(self.hands[replica], (self.written[replica] + tokens, batch))

    def _pace_s(self, replica: int) -> float:
        return self.token_step_s + self.sequence_s * len(self.hands[replica])

    def _end_s(self, replica: int) -> float:
        """Return in how many seconds the replica's next sequence ends, if it has any."""
        hand = self.hands[replica]
        return (hand[0][0] - self.written[replica]) * self._pace_s(replica) if hand else math.inf

    def next_end_s(self) -> float:
        """Return in how many seconds the next sequence of all ends."""
        return min(map(self._end_s, range(self.replicas)))

    def go_on(self, seconds: float, *, ended: bool = False) -> list[int]:
        """Write for some seconds; return the batches of the sequences that end then, if any may."""
        found = []
        for i, hand in enumerate(self.hands):
            if not hand:
                continue
            at_end = ended and self._end_s(i) <= seconds * (1 + 1e-12)
            self.busy_s[i] += seconds
            self.written[i] = hand[0][0] if at_end else self.written[i] + seconds / self._pace_s(i)
            while at_end and hand and hand[0][0] <= self.written[i]:
                found.append(heapq.heappop(hand)[1])
            if not hand:
                self.written[i] = 0.0
        return found


def _table(lengths: Sequence[Sequence[int]]) -> list[list[int]]:
    """Check the answers' lengths."""
    if isinstance(lengths, np.ndarray):
        lengths = lengths.tolist()
    if not isinstance(lengths, list | tuple) or not lengths:
        raise ValueError(f"lengths must be batches of lengths, got {lengths!r}")
    table = []
    for batch in lengths:
        if not isinstance(batch, list | tuple) or not batch:
            raise ValueError(f"lengths must have a batch of at least one length, got {batch!r}")
        table.append([at_most("lengths", positive_integer("lengths", tokens), 2**40) for tokens in batch])
    at_most("answers in lengths", sum(map(len, table)), 2**16)
    return table
