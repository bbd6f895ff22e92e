"""Exercise: an all-reduce round a ring, as a program that runs on every rank."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from exercises.collectives.ring_and_tree import common
from grader.exercise import Exercise, Mistake, Observation
from snippets.simulation.machine import Exchange, Receive, Send
from snippets.simulation.schedule import chunk_bounds

Program = Generator[Send | Receive | Exchange, list[float], list[float]]


def ring_all_reduce(rank: int, ranks: int, numbers: list[float]) -> Program:
    """Run on one rank of an all-reduce round a ring: end with all sums.

    A rank program, as ``reduce_scatter``: it yields ``Send``, ``Receive`` and
    ``Exchange``. It may cost what the chapter's ring costs: a rank sends to its
    neighbour alone, about 2 (R − 1)/R of its entries, in 2 (R − 1) steps.

    Args:
        rank: number of the rank that the program runs on, from 0.
        ranks: number of ranks R, at least 1.
        numbers: the entries that this rank brings, as many as every other; R
            need not divide them.

    Returns:
        The sums of all entries over all ranks.

    >>> from snippets.collectives.ring_and_tree.programs import run_programs
    >>> run_programs(ring_all_reduce, [[1, 2], [10, 20]]).results
    ([11, 22], [11, 22])
    """
    # After the R − 1 steps of a reduce-scatter, every finished chunk walks once round and is copied.
    own, right, left = list(numbers), (rank + 1) % ranks, (rank - 1) % ranks
    chunks = chunk_bounds(len(own), ranks)
    for step in range(2 * (ranks - 1)):
        start, stop = chunks[(rank - 1 - step) % ranks]
        arrived = yield Exchange(to=right, numbers=own[start:stop], source=left)
        start, stop = chunks[(rank - 2 - step) % ranks]
        if step < ranks - 1:
            arrived = [mine + other for mine, other in zip(own[start:stop], arrived, strict=True)]
        own[start:stop] = arrived
    return own


def expected_all_reduce(vectors: list[list[int]]) -> Observation:
    ranks, length = len(vectors), len(vectors[0])
    return {
        common.RUN: common.ENDS,
        common.SUM: [[sum(column) for column in zip(*vectors, strict=True)]] * ranks,
        common.SENT: [2 * common.phase_bytes(length, ranks)] * ranks,
        common.RECEIVED: [2 * common.phase_bytes(length, ranks)] * ranks,
        common.STEPS: 2 * (ranks - 1),
        common.FOLLOWS: True,
        common.PARTNERS: min(ranks - 1, 1),
    }


def recursive_doubling(rank: int, ranks: int, numbers: list[float]) -> Program:
    core = 2 ** (ranks.bit_length() - 1)
    if rank >= core:
        yield Send(rank - core, numbers)
        return (yield Receive(rank - core))
    if rank + core < ranks:
        numbers = common.added(numbers, (yield Receive(rank + core)))
    for bit in range(core.bit_length() - 1):
        numbers = common.added(numbers, (yield Exchange(rank ^ 2**bit, numbers, rank ^ 2**bit)))
    if rank + core < ranks:
        yield Send(rank + core, numbers)
    return numbers


EXERCISE = Exercise(
    ring_all_reduce,
    number=4,
    level="hard",
    asked="a rank program that ends with the sums of all entries, round a ring",
    expected=expected_all_reduce,
    observe=lambda function, vectors: common.run_on_ranks(function, vectors, expected_all_reduce(vectors)),
    examples=common.EXAMPLES,
    inputs=common.INPUTS,
    drawn=common.drawn,
    units={
        common.SENT: "bytes; a ring sends 2 (R − 1)/R · n",
        common.RECEIVED: "bytes; a ring receives 2 (R − 1)/R · n",
    },
    given=("Exchange", "Receive", "Send", "chunk_bounds"),
    mistakes=[
        Mistake(
            "no_all_gather",
            "This is the first phase only: your own chunk is complete, the others still have to come round.",
            {"2 * (ranks - 1)": "ranks - 1"},
        ),
        Mistake(
            "gather_starts_one_off",
            "The second phase begins with the wrong chunk: rank r has finished chunk r, so it sends r − s, not "
            "r − 1 − s.",
            {
                "rank - 1 - step": "rank - 1 - step - (step > ranks - 2)",
                "rank - 2 - step": "rank - 2 - step - (step > ranks - 2)",
            },
        ),
        Mistake(
            "adds_in_both_phases",
            "You add in the second phase too: there finished sums arrive and replace what you have.",
            {"if step < ranks - 1:": "if True:"},
        ),
        Mistake(
            "reduce_loses_the_remainder",
            "With chunks of len(numbers) // R entries the last few entries are in none: use chunk_bounds.",
            {"list(numbers)": "numbers[: len(numbers) // ranks * ranks]"},
        ),
        Mistake(
            "reduce_sends_first",
            "All send before anybody receives, and a Send waits for its receiver: use Exchange, which does both at "
            "once.",
            {common.EXCHANGE: common.SEND_FIRST},
        ),
        Mistake(
            "reduce_through_rank_0",
            "The sum is right, but it goes through one root: rank 0 sends (R − 1) n bytes and receives as many; a ring "
            "sends 2 (R − 1)/R · n.",
            partial(common.through_rank_0, scatters=False),
        ),
        Mistake(
            "recursive_doubling",
            "The sum is right, but this is recursive doubling: each rank sends n log₂R bytes or more; a ring sends "
            "2 (R − 1)/R · n.",
            recursive_doubling,
        ),
        Mistake(
            "reduce_in_turns",
            "Sum and bytes are right, but ranks wait: a Send and then a Receive are two steps, an Exchange is one.",
            {common.EXCHANGE: common.IN_TURNS},
        ),
        Mistake(
            "reduce_of_one_rank",
            "This is right for one input only: nothing is sent, and nothing added.",
            common.adds_nothing,
        ),
    ],
)
