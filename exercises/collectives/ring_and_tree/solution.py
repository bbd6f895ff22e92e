"""Solutions of chapter 13's exercises."""

from __future__ import annotations

from collections.abc import Generator
from math import ceil, log2

from snippets.collectives.schedule import chunk_bounds
from snippets.machine import Exchange, Receive, Send

Program = Generator[Send | Receive | Exchange, list[float], list[float]]

# Source, destination, start and stop of the entries that travel, and whether the receiver adds them.
Message = tuple[int, int, int, int, bool]
Rounds = list[list[Message]]


def reduce_scatter(rank: int, ranks: int, numbers: list[float]) -> Program:
    """Chunk c walks from rank c + 1 round to rank c; every rank on the way adds its own."""
    chunks = chunk_bounds(len(numbers), ranks)
    own = list(numbers)
    for step in range(ranks - 1):
        start, stop = chunks[(rank - 1 - step) % ranks]
        arrived = yield Exchange(to=(rank + 1) % ranks, numbers=own[start:stop], source=(rank - 1) % ranks)
        start, stop = chunks[(rank - 2 - step) % ranks]
        own[start:stop] = [mine + other for mine, other in zip(own[start:stop], arrived, strict=True)]
    start, stop = chunks[rank]
    return own[start:stop]


def ring_all_reduce(rank: int, ranks: int, numbers: list[float]) -> Program:
    """After the reduce-scatter, every finished chunk walks once round and is copied."""
    passing = yield from reduce_scatter(rank, ranks, numbers)
    found = {rank: passing}
    for step in range(ranks - 1):
        passing = yield Exchange(to=(rank + 1) % ranks, numbers=passing, source=(rank - 1) % ranks)
        found[(rank - 1 - step) % ranks] = passing
    return [number for index in range(ranks) for number in found[index]]


def chunk(length: int, ranks: int, index: int) -> tuple[int, int]:
    """Where a chunk starts and stops; the first chunks are one entry longer."""
    whole, longer = divmod(length, ranks)
    return index * whole + min(index, longer), (index + 1) * whole + min(index + 1, longer)


def ring_all_reduce_rounds(*, ranks: int, length: int, offset: int = 0, direction: int = 1) -> Rounds:
    """Chunk c walks from rank c to rank c − 1, adding; from there the sum walks on, copying."""
    rounds: Rounds = []
    for step in range(2 * (ranks - 1)):
        adds = step < ranks - 1
        sends: list[Message] = []
        for rank in range(ranks):
            start, stop = chunk(length, ranks, (direction * rank - step) % ranks)
            sends.append((rank, (rank + direction) % ranks, offset + start, offset + stop, adds))
        rounds.append(sends)
    return rounds


def two_way_ring_rounds(*, ranks: int, length: int) -> Rounds:
    """Two rings in opposite directions, each with half of the vector, step by step together."""
    middle = length // 2
    one = ring_all_reduce_rounds(ranks=ranks, length=middle)
    other = ring_all_reduce_rounds(ranks=ranks, length=length - middle, offset=middle, direction=-1)
    return [first + second for first, second in zip(one, other, strict=True)]


def fastest_all_reduce(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    """Price each algorithm's steps and bytes per byte of the vector, and take the least."""
    levels = ceil(log2(ranks))
    core = 2 ** (ranks.bit_length() - 1)
    fold = 0 if core == ranks else 2  # steps, and vectors, that the ranks beyond the power of two cost
    terms = {
        "binomial": (2 * levels, 2 * levels),
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (log2(core) + fold, log2(core) + fold),
        "halving_doubling": (2 * log2(core) + fold, 2 * (core - 1) / core + fold),
    }
    times = {
        name: steps * latency_s + share * size_bytes / bandwidth_bytes_per_s for name, (steps, share) in terms.items()
    }
    best = min(times, key=lambda name: times[name])
    return best, times[best]
