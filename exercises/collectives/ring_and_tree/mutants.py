"""Typical wrong answers to chapter 13's exercises, each with what its author is to be told."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import ceil, log2
from typing import Any

from exercises.grading import mutant
from snippets.collectives.schedule import chunk_bounds
from snippets.machine import Exchange, Receive, Send

Program = Generator[Send | Receive | Exchange, Any, list[float]]
Message = tuple[int, int, int, int, bool]
Rounds = list[list[Message]]
Row = list[float]


# The right answers, with places where they can go wrong.


def added(one: Row, other: Row) -> Row:
    return [mine + more for mine, more in zip(one, other, strict=True)]


def next_and_back(rank: int, ranks: int, numbers: Row) -> Program:
    """Exchange with both neighbours at once."""
    return (yield Exchange(to=(rank + 1) % ranks, numbers=numbers, source=(rank - 1) % ranks))


def one_by_one(rank: int, ranks: int, numbers: Row) -> Program:
    """Send and then receive; every second rank the other way round, so that nobody waits for ever."""
    if rank % 2:
        arrived = yield Receive((rank - 1) % ranks)
        yield Send((rank + 1) % ranks, numbers)
    else:
        yield Send((rank + 1) % ranks, numbers)
        arrived = yield Receive((rank - 1) % ranks)
    return list(arrived)


def sends_first(rank: int, ranks: int, numbers: Row) -> Program:
    yield Send((rank + 1) % ranks, numbers)
    return (yield Receive((rank - 1) % ranks))


Passing = Callable[[int, int, Row], Program]


def scattering(
    rank: int,
    ranks: int,
    own: Row,
    *,
    first: int = -1,
    steps: int | None = None,
    pass_on: Passing = next_and_back,
    combine: Callable[[Row, Row], Row] = added,
) -> Program:
    """The ring's first phase on ``own``, in place: in step s, chunk r + first − s goes on."""
    chunks = chunk_bounds(len(own), ranks)
    for step in range(ranks - 1 if steps is None else steps):
        start, stop = chunks[(rank + first - step) % ranks]
        arrived = yield from pass_on(rank, ranks, own[start:stop])
        start, stop = chunks[(rank + first - 1 - step) % ranks]
        own[start:stop] = combine(own[start:stop], arrived)
    return own


def gathering(
    rank: int,
    ranks: int,
    own: Row,
    *,
    first: int = 0,
    pass_on: Passing = next_and_back,
    combine: Callable[[Row, Row], Row] = lambda mine, other: other,
) -> Program:
    """The ring's second phase on ``own``, in place."""
    return (yield from scattering(rank, ranks, own, first=first, pass_on=pass_on, combine=combine))


def chunk_of(rank: int, ranks: int, numbers: Row) -> Row:
    start, stop = chunk_bounds(len(numbers), ranks)[rank]
    return numbers[start:stop]


def through_root(rank: int, ranks: int, numbers: Row, cut: Callable[[int, Row], Row]) -> Program:
    """Everybody's vector goes to rank 0, which adds up and sends ``cut(rank, sums)`` back."""
    if rank:
        yield Send(0, numbers)
        return (yield Receive(0))
    for source in range(1, ranks):
        numbers = added(numbers, (yield Receive(source)))
    for other in range(1, ranks):
        yield Send(other, cut(other, numbers))
    return cut(0, numbers)


def whole_vectors_round(rank: int, ranks: int, numbers: Row) -> Program:
    """Everybody's whole vector goes round the ring, and everybody adds up all."""
    total, passing = numbers, numbers
    for _ in range(ranks - 1):
        passing = yield from next_and_back(rank, ranks, passing)
        total = added(total, passing)
    return total


# Wrong reduce-scatters.


@mutant(
    "reduce_scatter",
    says="Your walks start at the owner, so chunk c ends on rank c − 1: start at rank c + 1, with chunk r − 1 − s.",
)
def owner_starts(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, first=0)
    return chunk_of(rank, ranks, own)


@mutant("reduce_scatter", says="What arrives replaces your entries; it has to be added to them.")
def scatter_copies(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, combine=lambda mine, other: other)
    return chunk_of(rank, ranks, own)


@mutant("reduce_scatter", says="You stop one step too early: a walk past N ranks has N − 1 messages.")
def scatter_one_step_short(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, steps=max(ranks - 2, 0))
    return chunk_of(rank, ranks, own)


@mutant(
    "reduce_scatter",
    says="You take one step too many: after N − 1 your chunk is complete, and one more sends it on for nothing.",
)
def scatter_one_step_long(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, steps=ranks if ranks > 1 else 0)
    return chunk_of(rank, ranks, own)


@mutant("reduce_scatter", says="These are means: a reduce-scatter adds, and nobody divides.")
def scatter_averages(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers)
    return [number / ranks for number in chunk_of(rank, ranks, own)]


@mutant("reduce_scatter", says="With chunks of n // N entries the last n mod N entries are in none: use chunk_bounds.")
def scatter_loses_the_remainder(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers[: len(numbers) // ranks * ranks])
    return chunk_of(rank, ranks, own)


@mutant("reduce_scatter", says="This returns all entries; a rank ends with those of its own chunk only.")
def scatter_returns_all(rank: int, ranks: int, numbers: Row) -> Program:
    return (yield from scattering(rank, ranks, numbers))


@mutant(
    "reduce_scatter",
    says="All send before anybody receives, and a Send waits for its receiver: use Exchange, which does both at once.",
)
def scatter_sends_first(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, pass_on=sends_first)
    return chunk_of(rank, ranks, own)


@mutant(
    "reduce_scatter",
    says="The sums are right, but all goes through rank 0, which receives (N − 1) n bytes; round a ring each rank "
    "sends and receives (N − 1)/N · n.",
)
def scatter_through_rank_0(rank: int, ranks: int, numbers: Row) -> Program:
    return (yield from through_root(rank, ranks, numbers, lambda other, sums: chunk_of(other, ranks, sums)))


@mutant(
    "reduce_scatter",
    says="The sums are right, but you send whole vectors round, (N − 1) n bytes a rank; a ring adds on the way and "
    "sends (N − 1)/N · n.",
)
def scatter_of_whole_vectors(rank: int, ranks: int, numbers: Row) -> Program:
    total = yield from whole_vectors_round(rank, ranks, numbers)
    return chunk_of(rank, ranks, total)


@mutant(
    "reduce_scatter",
    says="Sums and bytes are right, but ranks wait: a Send and then a Receive are two steps, an Exchange is one.",
)
def scatter_in_turns(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, pass_on=one_by_one)
    return chunk_of(rank, ranks, own)


@mutant("reduce_scatter", says="This is right for one input only: nothing is sent, and nothing added.")
def scatter_of_one_rank(rank: int, ranks: int, numbers: Row) -> Program:
    yield from ()
    return [5]


# Wrong all-reduces.


@mutant(
    "ring_all_reduce",
    says="This is the first phase only: your own chunk is complete, the others still have to come round.",
)
def no_all_gather(rank: int, ranks: int, numbers: Row) -> Program:
    return (yield from scattering(rank, ranks, numbers))


@mutant(
    "ring_all_reduce",
    says="The second phase begins with the wrong chunk: rank r has finished chunk r, so it sends r − s, not r − 1 − s.",
)
def gather_starts_one_off(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers)
    return (yield from gathering(rank, ranks, own, first=-1))


@mutant(
    "ring_all_reduce", says="You add in the second phase too: there finished sums arrive and replace what you have."
)
def adds_in_both_phases(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers)
    return (yield from gathering(rank, ranks, own, combine=added))


@mutant("ring_all_reduce", says="These are means: an all-reduce adds, and nobody divides.")
def reduce_averages(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers)
    total = yield from gathering(rank, ranks, own)
    return [number / ranks for number in total]


@mutant("ring_all_reduce", says="With chunks of n // N entries the last n mod N entries are in none: use chunk_bounds.")
def reduce_loses_the_remainder(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers[: len(numbers) // ranks * ranks])
    return (yield from gathering(rank, ranks, own))


@mutant(
    "ring_all_reduce",
    says="All send before anybody receives, and a Send waits for its receiver: use Exchange, which does both at once.",
)
def reduce_sends_first(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, pass_on=sends_first)
    return (yield from gathering(rank, ranks, own, pass_on=sends_first))


@mutant(
    "ring_all_reduce",
    says="The sum is right, but it goes through one root: rank 0 sends (N − 1) n bytes and receives as many; a ring "
    "sends 2 (N − 1)/N · n.",
)
def reduce_through_rank_0(rank: int, ranks: int, numbers: Row) -> Program:
    return (yield from through_root(rank, ranks, numbers, lambda other, sums: sums))


@mutant(
    "ring_all_reduce",
    says="The sum is right, but every whole vector goes round: each rank sends (N − 1) n bytes; a ring sends "
    "2 (N − 1)/N · n.",
)
def reduce_of_whole_vectors(rank: int, ranks: int, numbers: Row) -> Program:
    return (yield from whole_vectors_round(rank, ranks, numbers))


@mutant(
    "ring_all_reduce",
    says="The sum is right, but this is recursive doubling: each rank sends n log₂N bytes or more; a ring sends "
    "2 (N − 1)/N · n.",
)
def recursive_doubling(rank: int, ranks: int, numbers: Row) -> Program:
    core = 2 ** (ranks.bit_length() - 1)
    if rank >= core:
        yield Send(rank - core, numbers)
        return (yield Receive(rank - core))
    if rank + core < ranks:
        numbers = added(numbers, (yield Receive(rank + core)))
    distance = 1
    while distance < core:
        numbers = added(numbers, (yield Exchange(rank ^ distance, numbers, rank ^ distance)))
        distance *= 2
    if rank + core < ranks:
        yield Send(rank + core, numbers)
    return numbers


@mutant(
    "ring_all_reduce",
    says="Sum and bytes are right, but ranks wait: a Send and then a Receive are two steps, an Exchange is one.",
)
def reduce_in_turns(rank: int, ranks: int, numbers: Row) -> Program:
    own = yield from scattering(rank, ranks, numbers, pass_on=one_by_one)
    return (yield from gathering(rank, ranks, own, pass_on=one_by_one))


@mutant(
    "ring_all_reduce",
    says="The sum is right, but every rank sends its chunks straight to all owners: round a ring it sends to its "
    "neighbour only.",
)
def straight_to_the_owners(rank: int, ranks: int, numbers: Row) -> Program:
    chunks = chunk_bounds(len(numbers), ranks)
    start, stop = chunks[rank]
    total = numbers[start:stop]
    for hop in range(1, ranks):
        first, last = chunks[(rank + hop) % ranks]
        total = added(total, (yield Exchange((rank + hop) % ranks, numbers[first:last], (rank - hop) % ranks)))
    numbers[start:stop] = total
    return (yield from gathering(rank, ranks, numbers))


@mutant("ring_all_reduce", says="This is right for one input only: nothing is sent, and nothing added.")
def reduce_of_one_rank(rank: int, ranks: int, numbers: Row) -> Program:
    yield from ()
    return [5]


# Wrong schedules.


def ring(
    ranks: int,
    length: int,
    *,
    first: int = 0,
    adds: Callable[[int], bool] | None = None,
    steps: int | None = None,
    offset: int = 0,
    direction: int = 1,
) -> Rounds:
    """The right rounds, with places where they can go wrong."""
    chunks = chunk_bounds(length, ranks)
    adding = adds or (lambda step: step < ranks - 1)
    rounds: Rounds = []
    for step in range(2 * (ranks - 1) if steps is None else steps):
        sends: list[Message] = []
        for rank in range(ranks):
            start, stop = chunks[(direction * rank + first - step) % ranks]
            sends.append((rank, (rank + direction) % ranks, offset + start, offset + stop, adding(step)))
        rounds.append(sends)
    return rounds


@mutant(
    "ring_all_reduce_rounds",
    says="This is the chapter's ring, which completes chunk c on rank c; here it is to be complete on rank c − 1.",
)
def complete_on_the_owner(*, ranks: int, length: int) -> Rounds:
    return ring(ranks, length, first=-1)


@mutant("ring_all_reduce_rounds", says="These are the steps of one phase: the finished chunks still have to go round.")
def first_phase_only(*, ranks: int, length: int) -> Rounds:
    return ring(ranks, length, steps=ranks - 1)


@mutant("ring_all_reduce_rounds", says="Your messages add in both phases: a finished sum replaces what is there.")
def rounds_add_always(*, ranks: int, length: int) -> Rounds:
    return ring(ranks, length, adds=lambda step: True)


@mutant("ring_all_reduce_rounds", says="Each phase has N − 1 steps; with N, a walk comes back to where it began.")
def phases_of_n_steps(*, ranks: int, length: int) -> Rounds:
    return ring(ranks, length, adds=lambda step: step < ranks, steps=2 * ranks) if ranks > 1 else []


@mutant("ring_all_reduce_rounds", says="With chunks of n // N entries the last n mod N entries are in none.")
def rounds_lose_the_remainder(*, ranks: int, length: int) -> Rounds:
    return ring(ranks, length // ranks * ranks)


@mutant(
    "ring_all_reduce_rounds",
    says="The sum is right, but each step carries the whole vector to or from rank 0: rank 0 sends (N − 1) n bytes, a "
    "ring 2 (N − 1)/N · n.",
)
def rounds_through_rank_0(*, ranks: int, length: int) -> Rounds:
    up: Rounds = [[(rank, 0, 0, length, True)] for rank in range(1, ranks)]
    return up + [[(0, rank, 0, length, False)] for rank in range(1, ranks)]


@mutant("ring_all_reduce_rounds", says="This is right for one input only: with one rank there is nothing to send.")
def no_rounds(*, ranks: int, length: int) -> Rounds:
    return []


def side_by_side(one: Rounds, other: Rounds) -> Rounds:
    return [first + second for first, second in zip(one, other, strict=True)]


@mutant("two_way_ring_rounds", says="Both halves go the same way round, so one direction of each link carries all.")
def both_the_same_way(*, ranks: int, length: int) -> Rounds:
    middle = length // 2
    return side_by_side(ring(ranks, middle), ring(ranks, length - middle, offset=middle))


@mutant(
    "two_way_ring_rounds",
    says="This goes round one way only: one direction of each link carries all, the other nothing.",
)
def one_way_only(*, ranks: int, length: int) -> Rounds:
    return ring(ranks, length)


@mutant(
    "two_way_ring_rounds", says="The whole vector goes both ways, so every term is added twice: give each way a half."
)
def whole_vector_both_ways(*, ranks: int, length: int) -> Rounds:
    return side_by_side(ring(ranks, length), ring(ranks, length, direction=-1))


@mutant(
    "two_way_ring_rounds",
    says="The two ways follow one another, which takes twice the steps: they go at the same time.",
)
def one_way_after_the_other(*, ranks: int, length: int) -> Rounds:
    middle = length // 2
    return ring(ranks, middle) + ring(ranks, length - middle, offset=middle, direction=-1)


@mutant("two_way_ring_rounds", says="Both ways carry the first half: the second half's entries start at the middle.")
def second_half_without_offset(*, ranks: int, length: int) -> Rounds:
    return side_by_side(ring(ranks, length // 2), ring(ranks, length // 2, direction=-1))


@mutant(
    "two_way_ring_rounds", says="If n is odd, the last entry is in neither half: the second has n − n // 2 entries."
)
def two_ways_lose_the_last(*, ranks: int, length: int) -> Rounds:
    middle = length // 2
    return side_by_side(ring(ranks, middle), ring(ranks, middle, offset=middle, direction=-1))


@mutant("two_way_ring_rounds", says="This is right for one input only: with one rank there is nothing to send.")
def no_two_way_rounds(*, ranks: int, length: int) -> Rounds:
    return []


# Wrong choices.


Terms = dict[str, tuple[float, float]]


def terms_of(ranks: int, *, folds: bool = True) -> Terms:
    """Steps, and vectors that pass a port, of each candidate."""
    core = 2 ** (ranks.bit_length() - 1)
    fold = 2 if folds and core < ranks else 0
    deep = ceil(log2(ranks))
    return {
        "binomial": (2 * deep, 2 * deep),
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (log2(core) + fold, log2(core) + fold),
        "halving_doubling": (2 * log2(core) + fold, 2 * (core - 1) / core + fold),
    }


def best_of(terms: Terms, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> tuple[str, float]:
    times = {
        name: steps * latency_s + share * size_bytes / bandwidth_bytes_per_s for name, (steps, share) in terms.items()
    }
    best = min(times, key=times.__getitem__)
    return best, times[best]


@mutant(
    "fastest_all_reduce",
    says="A ring has two phases: 2 (N − 1) steps and 2 (N − 1)/N · n bytes; these are those of a reduce-scatter.",
)
def ring_of_one_phase(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    terms = {**terms_of(ranks), "ring": (ranks - 1, (ranks - 1) / ranks)}
    return best_of(terms, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant(
    "fastest_all_reduce",
    says="You forgot the fold: if N is no power of two, the last two take two steps and 2n bytes more.",
)
def fold_forgotten(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return best_of(terms_of(ranks, folds=False), size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("fastest_all_reduce", says="A size of n bytes at β bytes per second takes n/β: do not count bits.")
def bits_over_bytes(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return best_of(terms_of(ranks), 8 * size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("fastest_all_reduce", says="The latency is missing: each of the S steps takes α.")
def latency_forgotten(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return best_of(terms_of(ranks), size_bytes, 0.0, bandwidth_bytes_per_s)


@mutant("fastest_all_reduce", says="The latency is paid in every step, not once.")
def latency_once(*, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> tuple[str, float]:
    terms = {name: (min(steps, 1), share) for name, (steps, share) in terms_of(ranks).items()}
    return best_of(terms, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant(
    "fastest_all_reduce",
    says="A port sends and receives at the same time, at full bandwidth each way: do not add the two directions.",
)
def both_directions_added(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return best_of(terms_of(ranks), 2 * size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant(
    "fastest_all_reduce",
    says="The ring is not always the fastest: for short messages its 2 (N − 1) steps are what counts.",
)
def always_the_ring(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return best_of({"ring": terms_of(ranks)["ring"]}, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("fastest_all_reduce", says="Of equals, the first in the given order is asked for.")
def last_of_equals(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    terms = dict(reversed(terms_of(ranks).items()))
    return best_of(terms, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("fastest_all_reduce", says="This is right for one input only: with one rank nothing takes time.")
def nothing_takes_time(
    *, size_bytes: float, ranks: int, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return "binomial", 0.0
