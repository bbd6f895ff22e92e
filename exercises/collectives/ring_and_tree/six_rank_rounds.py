"""Exercise: a schedule of an all-reduce for six ranks, in few steps and few bytes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from exercises.collectives.ring_and_tree import common
from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.simulation.algorithms import build_collective

# Source, destination, start and stop of the entries that travel, and whether
# the receiver adds them.
Message = tuple[int, int, int, int, bool]
Rounds = list[list[Message]]
RANKS, MOST_STEPS = 6, 6


def six_rank_rounds(*, length: int) -> Rounds:
    """Return an all-reduce of six ranks in few steps and few bytes.

    It may have at most 6 steps, and no rank may send, or receive, more than
    10/6 of the bytes of a whole vector. Any schedule within these limits is
    right.

    Args:
        length: number of entries, a multiple of 6.

    Returns:
        Steps of messages ``(source, destination, start, stop, adds)``: entries
        ``start`` to ``stop`` (excluded) travel; the destination adds them to
        its own if ``adds`` is true and overwrites its own if not. All messages
        of a step read what was there before it. In a step a rank sends to at
        most one other and receives from at most one; what it sends there need
        not be one piece: give a message for each piece.

    >>> len(six_rank_rounds(length=6)) <= 6
    True
    """
    # Halve with the partner at distance 3, go round in two rings of three, and give the halves back.
    half, sixth = length // 2, length // 6

    def exchange(adds: bool) -> list[Message]:
        """Send the half that the partner is to finish or, at the end, the half that is finished."""
        return [
            (rank, (rank + 3) % 6, *((half, length) if (rank < 3) == adds else (0, half)), adds) for rank in range(6)
        ]

    rings: Rounds = [[] for _ in range(4)]
    for first, offset in [(0, 0), (3, half)]:
        for step, messages in enumerate(rings):
            for place in range(3):
                start = offset + (place - step) % 3 * sixth
                messages.append((first + place, first + (place + 1) % 3, start, start + sixth, step < 2))
    return [exchange(True), *rings, exchange(False)]


def limits(length: int) -> Observation:
    most = 2 * (RANKS - 1) * length * common.NUMBER_BYTES // RANKS
    return {
        **common.right_sums(),
        common.SENT: [most] * RANKS,
        common.RECEIVED: [most] * RANKS,
        common.STEPS: MOST_STEPS,
    }


def observe(function: Callable[..., Rounds], *, length: int) -> Observation:
    """Replay the schedule; ranks that send or receive too much are shown by their bytes, the most first."""
    allowed = limits(length)
    shown = common.replay(function(length=length), ranks=RANKS, length=length, others=1, allowed=allowed)
    by_bytes = {name: sorted(shown[name], reverse=True) for name in (common.SENT, common.RECEIVED) if name in shown}
    return {**shown, **by_bytes}


def by_the_book(algorithm: str, length: int) -> Rounds:
    schedule = build_collective("all_reduce", algorithm, ranks=RANKS, length=length)
    return [
        [(send.source, send.destination, *pair, send.combine) for send in sends for pair in send.ranges]
        for sends in schedule.rounds
    ]


def folded(length: int) -> Rounds:
    """Ranks 4 and 5 hand their vectors to 0 and 1; these four halve, quarter and give back, and 0 and 1 hand it on."""
    half = length // 2
    quarters = [0, half // 2, half, half + half // 2, length]

    def halves(adds: bool) -> list[Message]:
        return [(rank, rank ^ 2, *((half, length) if (rank < 2) == adds else (0, half)), adds) for rank in range(4)]

    def exchange(adds: bool) -> list[Message]:
        mine = [(rank, rank ^ 1 if adds else rank) for rank in range(4)]
        return [(rank, rank ^ 1, quarters[chunk], quarters[chunk + 1], adds) for rank, chunk in mine]

    there: list[Message] = [(rank + 4, rank, 0, length, True) for rank in (0, 1)]
    back: list[Message] = [(rank, rank + 4, 0, length, False) for rank in (0, 1)]
    return [there, halves(True), exchange(True), exchange(False), halves(False), back]


def whole_vectors_in_pairs(length: int) -> Rounds:
    """Whole vectors are exchanged at distance 3, then two rings of three carry thirds of them."""
    third = length // 3
    rings: Rounds = [
        [
            (
                first + place,
                first + (place + 1) % 3,
                (place - step) % 3 * third,
                (place - step) % 3 * third + third,
                step < 2,
            )
            for first in (0, 3)
            for place in range(3)
        ]
        for step in range(4)
    ]
    return [[(rank, (rank + 3) % 6, 0, length, True) for rank in range(6)], *rings]


def drawn(chance: Random) -> list[Inputs]:
    """Return lengths that six divides."""
    return [{"length": length} for length in chance.sample(range(0, 301, 6), 12)]


EXERCISE = Exercise(
    six_rank_rounds,
    number=6,
    level="hard",
    asked="an all-reduce of six ranks in at most 6 steps, with at most 10/6 of a vector from and to each rank",
    expected=limits,
    picture=lambda function, length: common.moments_of(function(length=length), ranks=RANKS, length=length),
    observe=observe,
    examples=[{"length": length} for length in (6, 12, 0, 60)],
    inputs=[{"length": length} for length in (*range(0, 61, 6), 246)],
    drawn=drawn,
    units=dict.fromkeys((common.SENT, common.RECEIVED), "bytes, the most first; the limit is 10/6 · n"),
    mistakes=[
        Mistake(
            "folds_to_four",
            "The sum is right, but two ranks fold into others: four ranks do the work, and whole vectors travel at the "
            "beginning and at the end. Six is two times three: let pairs share the work, and then triples.",
            folded,
        ),
        Mistake(
            "ring_of_six",
            "The sum and the bytes are right, but a ring of six takes 10 steps. Rings of three take 4; what comes "
            "before them, and after?",
            lambda length: by_the_book("ring", length),
        ),
        Mistake(
            "doubles_whole_vectors",
            "The sum is right, in few steps, but whole vectors travel in each of them: partners compute the same sum, "
            "and could take one half each.",
            lambda length: by_the_book("recursive_doubling", length),
        ),
        Mistake(
            "whole_vectors_in_pairs",
            "The sum is right, but the pairs exchange whole vectors, and both rings of three then do the same work. "
            "Let each of a pair take one half.",
            whole_vectors_in_pairs,
        ),
        Mistake(
            "halves_not_given_back",
            "Every rank ends with the sums of one half: the halves have still to be exchanged.",
            {"[exchange(True), *rings, exchange(False)]": "[exchange(True), *rings]"},
        ),
        Mistake(
            "last_exchange_adds",
            "The last exchange adds: there a finished half arrives, and replaces what is there.",
            {"*rings, exchange(False)]": "*rings, [(*message[:4], True) for message in exchange(False)]]"},
        ),
        Mistake(
            "sends_the_half_it_keeps",
            "In the first exchange a rank sends the half that its partner is to finish, and keeps its own.",
            {"(rank < 3) == adds": "rank >= 3"},
        ),
        Mistake(
            "six_entries_only",
            "This is right for six entries only.",
            lambda length: six_rank_rounds(length=6),
        ),
        Mistake("no_six_rank_rounds", "This is right for no entries only: nothing is sent.", lambda length: []),
    ],
)
