"""Exercise: the schedule of a ring all-reduce."""

from __future__ import annotations

from random import Random

from exercises.collectives.ring_and_tree import common
from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.simulation.schedule import chunk_bounds

# Source, destination, start and stop of the entries that travel, and whether
# the receiver adds them.
Message = tuple[int, int, int, int, bool]
Rounds = list[list[Message]]


def ring_all_reduce_rounds(*, ranks: int, length: int) -> Rounds:
    """Return the schedule of a ring all-reduce.

    After the first phase, chunk j is to be complete on rank j − 1.

    Args:
        ranks: number of ranks R, at least 1.
        length: number of entries, any from 0; chunks are those of
            ``chunk_bounds(length, ranks)``.

    Returns:
        A list of steps, each a list of messages ``(source, destination, start,
        stop, adds)``: entries ``start`` to ``stop`` (excluded) travel; the
        destination adds them to its own if ``adds`` is true and overwrites its
        own if not. All messages of a step read what was there before it. In a
        step a rank sends at most one message and receives at most one.

    >>> ring_all_reduce_rounds(ranks=3, length=3)[0]
    [(0, 1, 0, 1, True), (1, 2, 1, 2, True), (2, 0, 2, 3, True)]
    """
    # Chunk j walks from rank j to rank j − 1, adding; from there the sum walks on, copying.
    chunks = chunk_bounds(length, ranks)
    return [
        [(rank, (rank + 1) % ranks, *chunks[(rank - step) % ranks], step < ranks - 1) for rank in range(ranks)]
        for step in range(2 * (ranks - 1))
    ]


def expected_rounds(ranks: int, length: int) -> Observation:
    return {
        **common.right_sums(),
        common.SENT: [2 * common.phase_bytes(length, ranks)] * ranks,
        common.STEPS: 2 * (ranks - 1),
        common.COMPLETE: [[(index - 1) % ranks] for index in range(min(length, ranks))],
    }


def drawn(chance: Random) -> list[Inputs]:
    """Return rings of up to seven ranks, with even and uneven chunks."""
    return [{"ranks": chance.randint(2, 7), "length": chance.randint(0, 40)} for _ in range(40)]


EXERCISE = Exercise(
    ring_all_reduce_rounds,
    number=3,
    asked="the steps of a ring all-reduce in which chunk j is complete on rank j − 1 after R − 1 steps",
    expected=expected_rounds,
    picture=lambda function, **size: common.moments_of(function(**size), **size),
    observe=lambda function, **size: common.replay(function(**size), **size, others=1, allowed=expected_rounds(**size)),
    examples=[{"ranks": ranks, "length": length} for ranks, length in ((3, 3), (2, 2), (1, 2), (4, 1), (3, 0), (4, 6))],
    inputs=[{"ranks": ranks, "length": length} for ranks in range(1, 6) for length in range(12)],
    drawn=drawn,
    units={common.SENT: "bytes; a ring sends 2 (R − 1)/R · n"},
    given=("chunk_bounds",),
    mistakes=[
        Mistake(
            "complete_on_the_owner",
            "This is the chapter's ring, which completes chunk j on rank j; here it is to be complete on rank j − 1.",
            {"rank - step": "rank - 1 - step"},
        ),
        Mistake(
            "first_phase_only",
            "These are the steps of one phase: the finished chunks still have to go round.",
            {"2 * (ranks - 1)": "ranks - 1"},
        ),
        Mistake(
            "rounds_add_always",
            "Your messages add in both phases: a finished sum replaces what is there.",
            {"step < ranks - 1": "True"},
        ),
        Mistake(
            "phases_of_n_steps",
            "Each phase has R − 1 steps; with R, a walk comes back to where it began.",
            {"step < ranks - 1": "step < ranks", "2 * (ranks - 1)": "2 * ranks if ranks > 1 else 0"},
        ),
        Mistake(
            "rounds_lose_the_remainder",
            "With chunks of length // R entries the last few entries are in none.",
            {"chunk_bounds(length": "chunk_bounds(length // ranks * ranks"},
        ),
        Mistake(
            "rounds_through_rank_0",
            "The sum is right, but each step carries the whole vector to or from rank 0: rank 0 sends (R − 1) n bytes, "
            "a ring 2 (R − 1)/R · n.",
            lambda ranks, length: [
                *([(rank, 0, 0, length, True)] for rank in range(1, ranks)),
                *([(0, rank, 0, length, False)] for rank in range(1, ranks)),
            ],
        ),
        Mistake(
            "no_rounds", "This is right for one input only: with one rank there is nothing to send.", lambda **_: []
        ),
    ],
)
