"""Exercise: the matrix by which a primitive acts on one column of the grid."""

from __future__ import annotations

from random import Random

from grader.exercise import Exercise, Mistake
from snippets.simulation.algorithms import build_collective
from snippets.simulation.holdings import holdings

ROOTED = ("broadcast", "reduce", "scatter", "gather")
ROOTLESS = ("all_gather", "reduce_scatter", "all_reduce")


def column_matrix(
    primitive: str,
    *,
    ranks: int,
    column: int,
    root: int = 0,
) -> list[list[int]]:
    """Return the matrix by which a primitive acts on one column of the grid.

    Column j of the grid holds, rank by rank, what the ranks have of chunk j,
    and chunk j belongs to rank j. After the primitive the column is this matrix
    times the column before; a cell that the primitive does not fill counts
    as 0.

    Args:
        primitive: "broadcast", "reduce", "scatter", "gather", "all_gather",
            "reduce_scatter" or "all_reduce".
        ranks: number of ranks R.
        column: which column j, from 0 to R − 1.
        root: the root of broadcast, reduce, scatter and gather; 0 for the
            others.

    Returns:
        R rows of R integers, each 0 or 1.

    >>> column_matrix("broadcast", ranks=2, column=0, root=1)
    [[0, 1], [0, 1]]
    """
    # The outer product of the ranks that are answered (rows) and those that are asked (columns).
    root_alone, owner, everyone = [root], [column], range(ranks)
    asked, answered = {
        "broadcast": (root_alone, everyone),
        "reduce": (everyone, root_alone),
        "scatter": (root_alone, owner),
        "gather": (owner, root_alone),
        "all_gather": (owner, everyone),
        "reduce_scatter": (everyone, owner),
        "all_reduce": (everyone, everyone),
    }[primitive]
    return [[int(r in answered and q in asked) for q in everyone] for r in everyone]


def matrix_by_messages(primitive: str, ranks: int, column: int, root: int = 0) -> list[list[int]]:
    """Follow whose terms the messages of a schedule bring to each rank that the primitive answers."""
    schedule = build_collective(
        primitive, "flat" if primitive in ROOTED else "ring", ranks=ranks, length=ranks, root=root
    )
    terms = [
        held.get(column, ()) if any(start <= column < stop for start, stop in schedule.output_ranges(rank)) else ()
        for rank, held in enumerate(holdings(schedule)[-1])
    ]
    return [[int(other in own) for other in range(ranks)] for own in terms]


def place(primitive: str, ranks: int, column: int, root: int = 0) -> dict[str, str | int]:
    return {"primitive": primitive, "ranks": ranks, "column": column, "root": root}


def rootless(primitive: str, ranks: int, column: int) -> dict[str, str | int]:
    """Leave the root out in every other column, so that an answer wrong for one primitive is told which."""
    return place(primitive, ranks, column) if column % 2 else {"primitive": primitive, "ranks": ranks, "column": column}


def drawn(chance: Random) -> list[dict[str, str | int]]:
    """Return columns of each primitive on up to nine ranks."""
    found = []
    for name in (*ROOTED, *ROOTLESS) * 12:
        ranks = chance.randint(2, 9)
        root = chance.randrange(ranks) if name in ROOTED else 0
        found.append(place(name, ranks, chance.randrange(ranks), root))
    return found


def taught() -> str:
    ranks = 4
    pairs = [[column_matrix(name, ranks=ranks, column=c) for name in ("scatter", "gather")] for c in range(ranks)]
    transposed = sum([list(row) for row in zip(*scatter, strict=True)] == gather for scatter, gather in pairs)
    still = [c for c, (scatter, gather) in enumerate(pairs) if scatter == gather]
    return (
        f"On {ranks} ranks the scatter's matrix, transposed, is the gather's in {transposed} of {ranks} columns. In "
        f"column {still[0]}, the root's own, the two are the same matrix: nothing moves. Transposing a primitive turns "
        "its arrows round."
    )


EXERCISE = Exercise(
    column_matrix,
    number=1,
    level="easy",
    asked="the matrix by which a primitive acts on one column of the grid",
    expected=matrix_by_messages,
    examples=[
        place("broadcast", 2, 0, 1),
        place("reduce", 3, 1, 2),
        place("scatter", 3, 2, 0),
        place("gather", 3, 2, 1),
        place("all_gather", 3, 1),
        place("reduce_scatter", 3, 1),
        place("all_reduce", 3, 1),
        {"primitive": "gather", "ranks": 2, "column": 1},
        place("broadcast", 1, 0),
        place("scatter", 4, 3, 1),
    ],
    inputs=[
        *(place(name, n, c, r) for name in ROOTED for n in range(2, 5) for c in range(n) for r in range(n)),
        *(rootless(name, n, c) for name in ROOTLESS for n in range(2, 6) for c in range(n)),
        *(place(name, n, c, r) for name in ROOTED for n, c, r in ((8, 5, 7), (9, 8, 6), (9, 6, 8))),
        *(rootless(name, n, c) for name in ROOTLESS for n, c in ((8, 5), (9, 8), (9, 6))),
    ],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "matrix_transposed",
            "This is the transpose: rows are the ranks that end with something, columns those whose numbers are used.",
            {"r in answered and q in asked": "q in answered and r in asked"},
        ),
        Mistake("root_is_always_0", "The root is rank 0 whatever you are given: use root.", {"[root]": "[0]"}),
        Mistake(
            "all_gather_keeps",
            "The identity leaves every rank what it had; an all-gather copies the owner's number to all.",
            {"int(r in": 'int(r == q if primitive == "all_gather" else r in'},
        ),
        Mistake(
            "reduce_scatter_reaches_all",
            "A reduce-scatter leaves the sum with the owner of the column only; this is an all-reduce.",
            {"(everyone, owner)": "(everyone, everyone)"},
        ),
        Mistake(
            "scatter_is_broadcast",
            "A scatter moves a chunk to its owner, and in this column only there; this is a broadcast.",
            {"(root_alone, owner)": "(root_alone, everyone)"},
        ),
        Mistake(
            "matrix_of_one_rank",
            "This is right for one rank only, where every primitive leaves the number as it is.",
            lambda **_: [[1]],
        ),
    ],
)
