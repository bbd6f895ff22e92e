"""Exercise: a reduce-scatter round a ring, as a program that runs on every rank."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from exercises.collectives.ring_and_tree import common
from grader.exercise import Exercise, Mistake, Observation
from snippets.collectives.ring_and_tree.programs import run_programs
from snippets.simulation.machine import Exchange, Receive, Send
from snippets.simulation.schedule import chunk_bounds

Program = Generator[Send | Receive | Exchange, list[float], list[float]]


def reduce_scatter(rank: int, ranks: int, numbers: list[float]) -> Program:
    """Run on one rank of a reduce-scatter: end with the sums of its own chunk.

    This is a rank program, a generator function that runs once on every rank
    and sees its own numbers alone:

    - ``yield Send(to=…, numbers=[…])`` gives numbers to another rank and waits
      until it has taken them;
    - ``arrived = yield Receive(source=…)`` waits for the list that another rank
      sends;
    - ``arrived = yield Exchange(to=…, numbers=[…], source=…)`` sends and
      receives at the same time, in one step.

    It may cost what the chapter's ring costs: no rank sends more than all its
    entries but those of its own chunk, and there are at most R − 1 steps.

    Args:
        rank: number of the rank that the program runs on, from 0.
        ranks: number of ranks R, at least 1.
        numbers: the entries that this rank brings, as many as every other.
            They are cut into R chunks by ``chunk_bounds(len(numbers), ranks)``;
            if they do not come out even, the first chunks have one more.

    Returns:
        The sums, over all ranks, of the entries of chunk ``rank``.

    >>> from snippets.collectives.ring_and_tree.programs import run_programs
    >>> run_programs(reduce_scatter, [[1, 2], [10, 20]]).results
    ([11], [22])
    """
    # Chunk j walks from rank j + 1 round to rank j; every rank on the way adds its own.
    own, right, left = list(numbers), (rank + 1) % ranks, (rank - 1) % ranks
    chunks = chunk_bounds(len(own), ranks)
    for step in range(ranks - 1):
        start, stop = chunks[(rank - 1 - step) % ranks]
        arrived = yield Exchange(to=right, numbers=own[start:stop], source=left)
        start, stop = chunks[(rank - 2 - step) % ranks]
        own[start:stop] = [mine + other for mine, other in zip(own[start:stop], arrived, strict=True)]
    start, stop = chunks[rank]
    return own[start:stop]


def expected_reduce_scatter(vectors: list[list[int]]) -> Observation:
    ranks, length = len(vectors), len(vectors[0])
    sums = [sum(column) for column in zip(*vectors, strict=True)]
    chunks = chunk_bounds(length, ranks)
    return {
        common.RUN: common.ENDS,
        common.SUM: [sums[start:stop] for start, stop in chunks],
        common.SENT: [common.NUMBER_BYTES * (length - stop + start) for start, stop in chunks],
        common.RECEIVED: [common.NUMBER_BYTES * (ranks - 1) * -(-length // ranks)] * ranks,
        common.STEPS: ranks - 1,
        common.FOLLOWS: True,
    }


def sends_first(rank: int, ranks: int, numbers: list[float]) -> Program:
    yield Send(to=(rank + 1) % ranks, numbers=numbers)
    return (yield Receive(source=(rank - 1) % ranks))


def taught() -> str:
    vectors = common.vectors(3, 3)
    deadlock = common.run_on_ranks(sends_first, vectors, {})[common.RUN]
    steps = run_programs(reduce_scatter, vectors).account.steps
    return (
        f"If all 3 ranks send first: {deadlock}. Nobody receives: a deadlock. With Exchange, which sends and receives "
        f"at once, they are done in {steps} steps."
    )


EXERCISE = Exercise(
    reduce_scatter,
    number=2,
    asked="a rank program that ends with the sums of the rank's own chunk, at the cost of a ring",
    expected=expected_reduce_scatter,
    observe=lambda function, vectors: common.run_on_ranks(function, vectors, expected_reduce_scatter(vectors)),
    examples=common.EXAMPLES,
    inputs=common.INPUTS,
    drawn=common.drawn,
    units={common.SENT: "bytes; round a ring n − n_r", common.RECEIVED: "bytes; round a ring (R − 1)/R · n"},
    given=("Exchange", "Receive", "Send", "chunk_bounds"),
    taught=taught,
    mistakes=[
        Mistake(
            "owner_starts",
            "Your walks start at the owner, so chunk j ends on rank j − 1: start at rank j + 1, with chunk r − 1 − i.",
            {"(rank - 1 - step)": "(rank - step)", "(rank - 2 - step)": "(rank - 1 - step)"},
        ),
        Mistake(
            "ends_with_the_next_chunk",
            "Your sums are complete, but rank r ends with chunk r + 1, as in many tutorials; here it is to be chunk r.",
            {
                "(rank - 1 - step)": "(rank - step)",
                "(rank - 2 - step)": "(rank - 1 - step)",
                "chunks[rank]": "chunks[(rank + 1) % ranks]",
            },
        ),
        Mistake(
            "scatter_copies",
            "What arrives replaces your entries; it has to be added to them.",
            {"mine + other": "other"},
        ),
        Mistake(
            "scatter_one_step_short",
            "You stop one step too early: a walk past R ranks has R − 1 messages.",
            {"range(ranks - 1)": "range(ranks - 2)"},
        ),
        Mistake(
            "scatter_loses_the_remainder",
            "With chunks of len(numbers) // R entries the last few entries are in none: use chunk_bounds.",
            {"chunk_bounds(len(own)": "chunk_bounds(len(own) // ranks * ranks"},
        ),
        Mistake(
            "scatter_sends_first",
            "All send before anybody receives, and a Send waits for its receiver: use Exchange, which does both at "
            "once.",
            {common.EXCHANGE: common.SEND_FIRST},
        ),
        Mistake(
            "scatter_through_rank_0",
            "The sums are right, but all goes through rank 0, which receives (R − 1) n bytes; round a ring each rank "
            "sends and receives (R − 1)/R · n.",
            partial(common.through_rank_0, scatters=True),
        ),
        Mistake(
            "scatter_in_turns",
            "Sums and bytes are right, but ranks wait: a Send and then a Receive are two steps, an Exchange is one.",
            {common.EXCHANGE: common.IN_TURNS},
        ),
        Mistake(
            "scatter_of_one_rank",
            "This is right for one input only: nothing is sent, and nothing added.",
            common.adds_nothing,
        ),
    ],
)
