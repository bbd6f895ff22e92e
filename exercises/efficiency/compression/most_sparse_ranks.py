"""Exercise: up to how many ranks the largest elements move fewer bytes than all of them in a ring."""

from __future__ import annotations

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def most_sparse_ranks(
    *,
    elements: int,
    kept: int,
    value_bytes: int,
    place_bytes: int,
    dense_bytes: int,
) -> int:
    """Return up to how many ranks gathering the largest elements moves less.

    Sparse: every rank gets every other rank's kept elements, each with its
    place. Dense: a ring adds up all elements in two phases, in each of which
    a rank moves (R - 1)/R of them.

    Args:
        elements: of the gradient, at least 1.
        kept: that each rank sends, at least 1.
        value_bytes: of a kept element, at least 1.
        place_bytes: of its place, at least 1.
        dense_bytes: of an element in the ring, at least 1.

    Returns:
        The greatest number of ranks, 2 or more, for which a rank moves fewer
        bytes than in the ring; 0 if there is none.

    >>> most_sparse_ranks(elements=100, kept=10, value_bytes=2, place_bytes=2,
    ...                   dense_bytes=2)
    9
    """
    each = kept * (value_bytes + place_bytes)
    ranks = (2 * elements * dense_bytes - 1) // each
    return ranks if ranks >= 2 else 0


def tried_one_by_one(*, elements: int, kept: int, value_bytes: int, place_bytes: int, dense_bytes: int) -> int:
    """Count the bytes of each number of ranks, message by message, until the ring moves no more."""
    ranks = 2
    while True:
        sparse = sum(kept * value_bytes + kept * place_bytes for other in range(ranks) if other)
        dense_in_ranks = 2 * (ranks - 1) * elements * dense_bytes  # the ring's bytes times the ranks
        if sparse * ranks >= dense_in_ranks:
            return ranks - 1 if ranks > 2 else 0
        ranks += 1


given = inputs_for(most_sparse_ranks)
INPUTS: list[Inputs] = [
    given(e, k, v, p, d)
    for e, k, v, p, d in (
        (100, 10, 2, 2, 2),
        (100, 10, 2, 4, 2),
        (100, 1, 2, 4, 2),
        (100, 100, 2, 4, 2),
        (100, 50, 2, 2, 2),
        (100, 33, 2, 2, 2),
        (100, 34, 2, 2, 2),
        (101, 50, 2, 2, 2),
        (99, 50, 2, 2, 2),
        (100, 25, 4, 4, 4),
        (100, 25, 4, 4, 2),
        (1000, 1, 4, 4, 4),
        (1000, 7, 1, 3, 2),
        (1000, 10, 1, 4, 4),
        (1, 1, 1, 1, 1),
        (2, 1, 1, 1, 1),
        (3, 1, 1, 1, 1),
        (3, 1, 2, 1, 1),
        (9, 2, 2, 1, 1),
        (10, 2, 2, 1, 1),
        (12345, 67, 2, 4, 2),
        (10000, 26, 2, 4, 2),
        (5, 5, 1, 1, 4),
        (7, 7, 1, 1, 3),
        (8, 8, 1, 1, 2),
        (5, 1, 2, 1, 1),
        (11, 1, 2, 1, 2),
        (500, 3, 2, 1, 2),
        (10_000, 3, 2, 4, 2),
    )
]

EXERCISE = Exercise(
    most_sparse_ranks,
    number=3,
    level="medium",
    asked="the greatest number of ranks for which sparse moves less",
    expected=tried_one_by_one,
    examples=[
        given(100, 10, 2, 2, 2),
        given(100, 40, 2, 4, 2),
        given(10_000, 100, 2, 4, 2),
    ],
    inputs=INPUTS,
    mistakes=[
        Mistake(
            "takes_equal_for_fewer",
            "You counted the ranks at which both move equally many bytes. Sparse has to move fewer.",
            {"(2 * elements * dense_bytes - 1)": "(2 * elements * dense_bytes)"},
        ),
        Mistake(
            "forgets_the_places",
            "You forgot the places. Every kept element travels with where it belongs.",
            {"kept * (value_bytes + place_bytes)": "kept * value_bytes"},
        ),
        Mistake(
            "counts_one_phase",
            "You counted one phase of the ring. An all-reduce scatters and gathers.",
            {"(2 * elements": "(elements"},
        ),
        Mistake(
            "forgets_the_width",
            "You counted the ring's elements, not their bytes.",
            {"elements * dense_bytes - 1": "elements - 1"},
        ),
        Mistake(
            "sends_places_once",
            "You counted one place for each rank. Each kept element has its own.",
            {"kept * (value_bytes + place_bytes)": "(kept * value_bytes + place_bytes)"},
        ),
        Mistake(
            "counts_a_single_rank",
            "You returned 1 where no number of ranks will do. With 2 or more sparse moves no less: that's 0.",
            {"ranks if ranks >= 2 else 0": "max(ranks, 1)"},
        ),
        Mistake(
            "returns_one_rank",
            "You returned 1 where no number of ranks will do. With 2 or more sparse moves no less: that's 0.",
            {"ranks if ranks >= 2 else 0": "ranks"},
        ),
        Mistake(
            "leaves_out_two_ranks",
            "You left out two ranks, which are a run too.",
            {"ranks >= 2": "ranks > 2"},
        ),
        Mistake(
            "takes_the_first_that_loses",
            "One rank too many: you returned the first at which sparse moves no less, or let a ring move all elements "
            "twice. It moves (R - 1)/R of them, twice.",
            {"// each": "// each + 1"},
        ),
    ],
)
