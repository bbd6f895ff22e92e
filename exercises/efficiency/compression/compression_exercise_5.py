"""Exercise: TO WRITE: what the reader writes, in a few words."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake


def compression_exercise_5(*, ranks: int, size_bytes: int) -> int:
    """Return TO WRITE: what.

    Args:
        ranks: TO WRITE: of what, at least 1.
        size_bytes: TO WRITE: of what, at least 0.

    Returns:
        TO WRITE: in which unit.

    >>> compression_exercise_5(ranks=4, size_bytes=10)
    40
    """
    # TO WRITE: the solution.
    return ranks * size_bytes


def added_one_by_one(*, ranks: int, size_bytes: int) -> int:
    """TO WRITE: an oracle that is not the solution, a simulator or brute force."""
    return sum(size_bytes for _ in range(ranks))


EXERCISE = Exercise(
    compression_exercise_5,
    number=5,
    level="hard",
    asked="TO WRITE: what to do, in one line",
    expected=added_one_by_one,
    examples=[{"ranks": 4, "size_bytes": 10}, {"ranks": 8, "size_bytes": 1000}],
    inputs=lambda st: {"ranks": st.integers(1, 20), "size_bytes": st.integers(0, 99)},
    units={"result": "bytes"},
    mistakes=[
        Mistake("leaves_out_a_rank", "TO WRITE: what N − 1 forgets, to its author.", {"ranks * ": "(ranks - 1) * "}),
        Mistake("counts_both_ends", "TO WRITE: what is counted twice, to its author.", {"ranks * ": "2 * ranks * "}),
        Mistake("counts_one_rank", "TO WRITE: who is asked about, to its author.", {"ranks * ": ""}),
    ],
)
