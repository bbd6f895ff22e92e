"""Exercises of chapter 13: Ring and tree."""

from __future__ import annotations

from collections.abc import Generator

from snippets.machine import Exchange, Receive, Send

Program = Generator[Send | Receive | Exchange, list[float], list[float]]

# Source, destination, start and stop of the entries that travel, and whether the receiver adds them.
Message = tuple[int, int, int, int, bool]
Rounds = list[list[Message]]


def reduce_scatter(rank: int, ranks: int, numbers: list[float]) -> Program:
    """Run on one rank of a reduce-scatter: end with the sums of this rank's own chunk.

    This is a rank program, a generator function that runs once on every rank and sees its own numbers alone:

    - ``yield Send(to=…, numbers=[…])`` gives numbers to another rank and waits until it has taken them;
    - ``arrived = yield Receive(source=…)`` waits for the list that another rank sends;
    - ``arrived = yield Exchange(to=…, numbers=[…], source=…)`` sends and receives at the same time, in one step.

    It may cost what the chapter's ring costs: no rank sends more than all its entries but those of its own chunk, and
    there are at most N − 1 steps.

    Args:
        rank: number of the rank that the program runs on, from 0.
        ranks: number of ranks N, at least 1.
        numbers: the n entries that this rank brings, as many as every other. They are cut into N chunks by
            ``chunk_bounds(n, N)`` of ``snippets.collectives.schedule``: the first n mod N chunks have one more.

    Returns:
        The sums, over all ranks, of the entries of chunk ``rank``.
    """
    raise NotImplementedError("reduce_scatter is still to be written")


def ring_all_reduce(rank: int, ranks: int, numbers: list[float]) -> Program:
    """Run on one rank of an all-reduce round a ring: end with the sums of all entries.

    A rank program, as ``reduce_scatter``. It may cost what the chapter's ring costs: a rank sends to its neighbour
    alone, about 2 (N − 1)/N of its n entries, in 2 (N − 1) steps.

    Args:
        rank: number of the rank that the program runs on, from 0.
        ranks: number of ranks N, at least 1.
        numbers: the n entries that this rank brings, as many as every other; n need not be a multiple of N.

    Returns:
        The n sums over all ranks.
    """
    raise NotImplementedError("ring_all_reduce is still to be written")


def ring_all_reduce_rounds(*, ranks: int, length: int) -> Rounds:
    """Return the schedule of a ring all-reduce in which chunk c is complete on rank c − 1 after the first phase.

    Args:
        ranks: number of ranks N, at least 1.
        length: number of entries n, any from 0; chunks are those of ``reduce_scatter``.

    Returns:
        A list of steps, each a list of messages ``(source, destination, start, stop, adds)``: entries ``start`` to
        ``stop`` (excluded) travel; the destination adds them to its own if ``adds`` is true and overwrites its own if
        not. All messages of a step read what was there before it. In a step a rank sends at most one message and
        receives at most one.
    """
    raise NotImplementedError("ring_all_reduce_rounds is still to be written")


def two_way_ring_rounds(*, ranks: int, length: int) -> Rounds:
    """Return the schedule of an all-reduce in which half of the entries goes round one way, the other half the other.

    Both go at the same time, so that in a step a rank sends at most two messages, one to each neighbour, and receives
    at most two.

    Args:
        ranks: number of ranks N: 1, or at least 3, so that the two neighbours differ.
        length: number of entries n, any from 0; if it is odd, one half has one entry more.

    Returns:
        Steps of messages as in ``ring_all_reduce_rounds``.
    """
    raise NotImplementedError("two_way_ring_rounds is still to be written")


def fastest_all_reduce(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    """Return which all-reduce is the fastest, and its time.

    The candidates are "binomial", "ring", "recursive_doubling" and "halving_doubling", as in the chapter; the last two
    fold the ranks beyond a power of two into the others. Of equals, the first in this order counts.

    Args:
        size_bytes: bytes n of one rank's vector; take chunks as even.
        ranks: number of ranks N, at least 1.
        latency_s: seconds α before the first byte of a message arrives.
        bandwidth_bytes_per_s: bytes per second β of a port, in each direction.

    Returns:
        The name, and the time in seconds.
    """
    raise NotImplementedError("fastest_all_reduce is still to be written")
