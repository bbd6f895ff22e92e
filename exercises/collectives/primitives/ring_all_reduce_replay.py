"""Exercise: the sums of a ring all-reduce, to the last bit."""

from __future__ import annotations

from math import fsum
from random import Random

from grader.exercise import Exercise, Inputs, Mistake
from snippets.simulation.algorithms import build_collective

Row = list[float]


def ring_all_reduce_replay(vectors: list[Row]) -> Row:
    """Return what all ranks hold after a ring all-reduce of floats.

    It is to be equal to the last bit, without messages. The sum of chunk j
    starts as rank j + 1's entries (modulo the number of ranks); each rank on
    the way round adds its own; rank j adds last. Add with +, as the ranks do:
    from Python 3.12 on, sum() of floats makes up for what was rounded.

    Args:
        vectors: for each of R ranks its entries. They are cut into R chunks as
            evenly as possible; the first (entries mod R) chunks have one entry
            more than the others.

    Returns:
        The sums, in the order of the entries.

    >>> ring_all_reduce_replay([[1.0, 1.0], [1e16, 1e16], [-1e16, -1e16]])
    [1.0, 0.0]
    """
    # Each chunk's terms are added in the order in which the ring meets them: ranks j + 1, j + 2, …, j.
    result: Row = []
    ranks = len(vectors)
    whole, longer = divmod(len(vectors[0]), ranks)
    for chunk in range(ranks):
        for place in range(len(result), len(result) + whole + (chunk < longer)):
            total = vectors[(chunk + 1) % ranks][place]
            for hop in range(2, ranks + 1):
                total += vectors[(chunk + hop) % ranks][place]
            result.append(total)
    return result


def sums_by_messages(vectors: list[Row]) -> Row:
    """Move the floats by the messages of the book's ring, and return what rank 0 ends with."""
    from snippets.simulation.runner import run

    schedule = build_collective("all_reduce", "ring", ranks=len(vectors), length=len(vectors[0]))
    sums: Row = run(schedule, vectors).outputs[0].tolist()
    return sums


def compensated_sums(vectors: list[Row]) -> Row:
    """Return what ``sum()`` in the order of the ring gives from Python 3.12 on (Neumaier's compensation)."""
    result: Row = []
    ranks = len(vectors)
    whole, longer = divmod(len(vectors[0]), ranks)
    for chunk in range(ranks):
        for place in range(len(result), len(result) + whole + (chunk < longer)):
            total, lost = 0.0, 0.0
            for hop in range(1, ranks + 1):
                term = vectors[(chunk + hop) % ranks][place]
                after = total + term
                lost += (total - after) + term if abs(total) >= abs(term) else (term - after) + total
                total = after
            result.append(total + lost)
    return result


def dealt_in_turn(vectors: list[Row]) -> Row:
    """Return the sums if entry i belonged to chunk i mod N."""
    ranks = len(vectors)
    result: Row = []
    for place in range(len(vectors[0])):
        total = vectors[(place + 1) % ranks][place]
        for hop in range(2, ranks + 1):
            total += vectors[(place + hop) % ranks][place]
        result.append(total)
    return result


def vectors(ranks: int, length: int, seed: int) -> list[Row]:
    chance = Random(seed)
    return [[chance.choice([1.0, 0.1, 0.2, 0.7, 1e16, -1e16]) for _ in range(length)] for _ in range(ranks)]


def drawn(chance: Random) -> list[Inputs]:
    """Return vectors as the book's own, of other numbers."""
    return [
        {"vectors": vectors(ranks, length, chance.randrange(10**9))}
        for ranks in range(2, 6)
        for length in range(1, 9)
        for _ in range(2)
    ]


EXERCISE = Exercise(
    ring_all_reduce_replay,
    number=7,
    level="hard",
    asked="the sums of a ring all-reduce, to the last bit",
    expected=sums_by_messages,
    examples=[
        {"vectors": [[1.0, 2.0], [10.0, 20.0]]},
        {"vectors": [[0.5]]},
        {"vectors": [[], []]},
        {"vectors": [[1.0, 1.0, 1.0], [1e16, 1e16, 1e16], [-1e16, -1e16, -1e16]]},
        {"vectors": [[0.1, 0.1], [0.2, 0.2], [0.7, 0.7], [1e16, 1.0], [-1e16, 1e16]]},
    ],
    inputs=[
        {"vectors": vectors(ranks, length, seed)}
        for ranks in range(2, 6)
        for length in range(1, 9)
        for seed in range(3)
    ],
    drawn=drawn,
    relative_tolerance=0.0,
    mistakes=[
        Mistake(
            "in_order_of_ranks",
            "You add in the order of the ranks, 0 first, for all chunks: in a ring every chunk starts at another rank.",
            {"(chunk + 1) % ranks": "0", "(chunk + hop) % ranks": "hop - 1"},
        ),
        Mistake(
            "starts_at_the_owner",
            "Your walk starts at the owner j; it starts at rank j + 1, and the owner adds last.",
            {"(chunk + 1)": "chunk", "(chunk + hop)": "(chunk + hop - 1)"},
        ),
        Mistake(
            "walks_backwards",
            "Your walk goes backwards: after rank j + 1 comes rank j + 2.",
            {"(chunk + 1)": "(chunk - 1)", "(chunk + hop)": "(chunk - hop)"},
        ),
        Mistake(
            "chunks_of_the_rounded_length",
            "Chunks of ⌈entries/R⌉ leave too few for the last ones: the first (entries mod R) chunks have one more.",
            {"len(result) + whole + (chunk < longer)": "min(len(result) + whole + (longer > 0), len(vectors[0]))"},
        ),
        Mistake(
            "rest_in_the_last_chunk",
            "You left all of the rest to the last chunk; each of the first (entries mod R) chunks has one entry more.",
            {"whole + (chunk < longer)": "whole + longer * (chunk == ranks - 1)"},
        ),
        Mistake(
            "dealt_in_turn",
            "You dealt the entries out in turn; a chunk is a run of entries that stand side by side.",
            dealt_in_turn,
        ),
        Mistake(
            "compensated_sum",
            "Your order may be right, but sum() of floats makes up for what was rounded from Python 3.12 on, and a "
            "rank does not: add with +.",
            compensated_sums,
        ),
        Mistake(
            "exact_sum",
            "This sum is more exact than the ring's: a ring rounds after every addition.",
            lambda vectors: [fsum(column) for column in zip(*vectors, strict=True)],
        ),
        Mistake(
            "sum_of_one_vector", "This is right for one input only: the sums depend on the vectors.", lambda **_: [0.5]
        ),
    ],
)
