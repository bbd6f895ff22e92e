"""Exercise: the schedule of an all-reduce that goes both ways round a ring."""

from __future__ import annotations

from random import Random

from exercises.collectives.ring_and_tree import common
from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.simulation.schedule import chunk_bounds

# Source, destination, start and stop of the entries that travel, and whether
# the receiver adds them.
Message = tuple[int, int, int, int, bool]
Rounds = list[list[Message]]


def two_way_ring_rounds(*, ranks: int, length: int) -> Rounds:
    """Return the schedule of an all-reduce that goes both ways round a ring.

    Half of the entries goes round one way, the other half the other, each in R
    chunks that are as even as possible. Both go at the same time: in a step a
    rank sends to both neighbours and receives from both. The longest messages
    of all steps then add up to about half of what they do one way round.

    Args:
        ranks: number of ranks R: 1, or at least 3, so that the two neighbours
            differ.
        length: number of entries, any from 0; if it is odd, one half has one
            entry more.

    Returns:
        Steps of messages ``(source, destination, start, stop, adds)``, as in
        ``ring_all_reduce_rounds``. What goes to one neighbour in a step need
        not be one piece: give a message for each piece.

    >>> for message in two_way_ring_rounds(ranks=3, length=6)[0]:
    ...     print(message)
    (0, 1, 0, 1, True)
    (1, 2, 1, 2, True)
    (2, 0, 2, 3, True)
    (0, 2, 3, 4, True)
    (1, 0, 5, 6, True)
    (2, 1, 4, 5, True)
    """
    # Two rings in opposite directions, each with half of the vector, step by step together.
    middle = length // 2
    rounds: Rounds = [[] for _ in range(2 * (ranks - 1))]
    for direction, offset, half in [(1, 0, middle), (-1, middle, length - middle)]:
        chunks = chunk_bounds(half, ranks)
        for step, messages in enumerate(rounds):
            for rank in range(ranks):
                start, stop = chunks[(direction * rank - step) % ranks]
                to = (rank + direction) % ranks
                messages.append((rank, to, offset + start, offset + stop, step < ranks - 1))
    return rounds


def one_way_there_the_other_back(ranks: int, length: int) -> Rounds:
    """The whole vector's reduce-scatter goes one way round, its all-gather the other."""
    chunks = chunk_bounds(length, ranks)
    walks = [(1, -1, True), (-1, 0, False)]
    return [
        [(rank, (rank + way) % ranks, *chunks[(rank + first - way * step) % ranks], adds) for rank in range(ranks)]
        for way, first, adds in walks
        for step in range(ranks - 1)
    ]


def rest_in_one_chunk(ranks: int, length: int) -> Rounds:
    """Two rings whose chunks have length // R entries each, and the last one of each ring what is left."""
    middle = length // 2
    rounds: Rounds = [[] for _ in range(2 * (ranks - 1))]
    for direction, first, stop in [(1, 0, middle), (-1, middle, length)]:
        edges = [first + index * ((stop - first) // ranks) for index in range(ranks)] + [stop]
        for step, messages in enumerate(rounds):
            for rank in range(ranks):
                chunk = (direction * rank - step) % ranks
                to = (rank + direction) % ranks
                messages.append((rank, to, edges[chunk], edges[chunk + 1], step < ranks - 1))
    return rounds


def expected_two_way(ranks: int, length: int) -> Observation:
    halves = [2 * common.phase_bytes(half, ranks) for half in (length // 2, length - length // 2)]
    longest = common.NUMBER_BYTES * -(-(length - length // 2) // ranks)
    return {
        **common.right_sums(),
        common.SENT: [sum(halves)] * ranks,
        common.STEPS: 2 * (ranks - 1),
        common.PARTNERS: min(ranks - 1, 2),
        common.LINK: halves[1],
        common.LONGEST: 2 * (ranks - 1) * longest,
    }


def drawn(chance: Random) -> list[Inputs]:
    """Return rings of up to seven ranks, with even and uneven halves and chunks."""
    return [{"ranks": chance.randint(3, 7), "length": chance.randint(0, 40)} for _ in range(40)]


def taught() -> str:
    size = {"ranks": 8, "length": 64}
    both, one = (expected_two_way(**size), 2 * common.phase_bytes(size["length"], size["ranks"]))
    whole = common.NUMBER_BYTES * size["length"]
    return (
        f"On 8 ranks both rings take {both[common.STEPS]} steps, and a rank sends {both[common.SENT][0] / whole:g} "
        f"vectors, as one way round. What is halved is the load of a link in one direction: "
        f"{both[common.LINK] / whole:g} of a vector in place of {one / whole:g}. That saves time where the two "
        "neighbours are on different links."
    )


EXERCISE = Exercise(
    two_way_ring_rounds,
    number=5,
    level="hard",
    asked="the steps of an all-reduce, half of the entries each way round",
    expected=expected_two_way,
    picture=lambda function, **size: common.moments_of(function(**size), **size),
    observe=lambda function, **size: common.replay(
        function(**size), **size, others=2, allowed=expected_two_way(**size)
    ),
    examples=[{"ranks": ranks, "length": length} for ranks, length in ((3, 6), (3, 7), (1, 2), (5, 1), (4, 0), (4, 8))],
    inputs=[
        *({"ranks": ranks, "length": length} for ranks in (1, 3, 4, 5) for length in range(12)),
        *({"ranks": ranks, "length": length} for ranks, length in ((6, 13), (8, 33), (9, 20))),
    ],
    drawn=drawn,
    units={common.SENT: "bytes", common.LINK: "bytes; (R − 1)/R · n", common.LONGEST: "bytes; (R − 1)/R · n"},
    given=("chunk_bounds",),
    taught=taught,
    mistakes=[
        Mistake(
            "both_the_same_way",
            "Both halves go the same way round, so one direction of each link carries all.",
            {"(-1, middle,": "(1, middle,"},
        ),
        Mistake(
            "one_way_only",
            "This goes round one way only: one direction of each link carries all, the other nothing.",
            {"[(1, 0, middle), (-1, middle, length - middle)]": "[(1, 0, length)]"},
        ),
        Mistake(
            "whole_vector_both_ways",
            "The whole vector goes both ways, so every term is added twice: give each way a half.",
            {"0, middle)": "0, length)", "-1, middle, length - middle": "-1, 0, length"},
        ),
        Mistake(
            "one_way_there_the_other_back",
            "Your reduce-scatter goes one way round and your all-gather the other: in no step are both directions of a "
            "link in use. Give each way half of the entries, in both phases.",
            one_way_there_the_other_back,
        ),
        Mistake(
            "rest_in_one_chunk",
            "Where R does not divide a half, one chunk takes all that is left over, and every step waits for it; let "
            "the chunks differ by one entry at most.",
            rest_in_one_chunk,
        ),
        Mistake(
            "one_way_after_the_other",
            "The two ways follow one another, which takes twice the steps: they go at the same time.",
            {"return rounds": "return [step[:ranks] for step in rounds] + [step[ranks:] for step in rounds]"},
        ),
        Mistake(
            "second_half_without_offset",
            "Both ways carry the first half: the second half's entries start at the middle.",
            {"(-1, middle, length - middle)": "(-1, 0, middle)"},
        ),
        Mistake(
            "two_ways_lose_the_last",
            "If n is odd, the last entry is in neither half: the second has n − n // 2 entries.",
            {"length - middle": "middle"},
        ),
        Mistake(
            "no_two_way_rounds",
            "This is right for one input only: with one rank there is nothing to send.",
            lambda **_: [],
        ),
    ],
)
