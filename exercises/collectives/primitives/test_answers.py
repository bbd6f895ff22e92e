"""Grader of chapter 12: matrices against messages followed term by term, all-to-alls counted, sums to the last bit."""

from __future__ import annotations

from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint, Observation
from snippets.collectives.algorithms import build
from snippets.collectives.holdings import holdings

Rows = list[list[float]]

ALGORITHMS = {
    "broadcast": "flat",
    "reduce": "flat",
    "scatter": "flat",
    "gather": "flat",
    "all_gather": "ring",
    "reduce_scatter": "ring",
    "all_reduce": "ring",
}
ROOTED = ("broadcast", "reduce", "scatter", "gather")
SENT = "sent by each rank"


def matrix_by_messages(primitive: str, ranks: int, column: int, root: int = 0) -> list[list[int]]:
    """Follow whose terms the messages of a schedule bring to each rank that the primitive answers."""
    schedule = build(primitive, ALGORITHMS[primitive], ranks=ranks, length=ranks, root=root)
    held = holdings(schedule)[-1]
    answered = [any(start <= column < stop for start, stop in schedule.output_ranges(rank)) for rank in range(ranks)]
    return [
        [int(answered[rank] and other in held[rank].get(column, ())) for other in range(ranks)] for rank in range(ranks)
    ]


class CountedAllToAll:
    """An all-to-all that counts what a rank sends; entries are 8 bytes."""

    def __init__(self) -> None:
        self.sent_bytes = 0

    def __call__(self, grid: Any) -> Rows:
        """Transpose a square grid."""
        rows = [list(row) for row in grid]
        if any(len(row) != len(rows) for row in rows):
            raise ValueError("all_to_all takes N rows of N numbers")
        self.sent_bytes += 8 * (len(rows) - 1)
        return [list(column) for column in zip(*rows, strict=True)]


def observe_all_reduce(function: Any, grid: Rows) -> Observation:
    all_to_all = CountedAllToAll()
    return {"result": function(grid=grid, all_to_all=all_to_all), SENT: all_to_all.sent_bytes}


def expected_all_reduce(grid: Rows) -> Observation:
    """The sums of the columns, and the bytes of a ring whose chunks are one number each."""
    ranks = len(grid)
    sums = [sum(row[column] for row in grid) for column in range(ranks)]
    return {"result": [sums] * ranks, SENT: 2 * (ranks - 1) * 8}


def sums_by_messages(vectors: Rows) -> list[float]:
    """Move floats by the messages of the book's ring, and return what rank 0 ends with."""
    schedule = build("all_reduce", "ring", ranks=len(vectors), length=len(vectors[0]))
    held = [list(vector) for vector in vectors]
    for sends in schedule.rounds:
        parcels = [[held[send.source][start:stop] for start, stop in send.ranges] for send in sends]
        for send, parcel in zip(sends, parcels, strict=True):
            own = held[send.destination]
            for (start, stop), numbers in zip(send.ranges, parcel, strict=True):
                if send.combine:
                    numbers = [mine + other for mine, other in zip(own[start:stop], numbers, strict=True)]
                own[start:stop] = numbers
    return held[0]


def column_inputs() -> Any:
    from hypothesis import strategies as st

    def places(size: tuple[str, int]) -> Any:
        primitive, ranks = size
        root = st.integers(0, ranks - 1) if primitive in ROOTED else st.just(0)
        place = {"primitive": st.just(primitive), "ranks": st.just(ranks), "column": st.integers(0, ranks - 1)}
        return st.fixed_dictionaries({**place, "root": root})

    return st.tuples(st.sampled_from(sorted(ALGORITHMS)), st.integers(1, 5)).flatmap(places)


def grid_inputs() -> Any:
    from hypothesis import strategies as st

    def grids(ranks: int) -> Any:
        row = st.lists(st.integers(-9, 9), min_size=ranks, max_size=ranks)
        return st.fixed_dictionaries({"grid": st.lists(row, min_size=ranks, max_size=ranks)})

    return st.integers(1, 5).flatmap(grids)


def float_inputs() -> Any:
    from hypothesis import strategies as st

    def vectors(size: tuple[int, int]) -> Any:
        ranks, length = size
        entry = st.sampled_from([1.0, 0.1, 0.2, 0.7, 1e16, -1e16])
        vector = st.lists(entry, min_size=length, max_size=length)
        return st.fixed_dictionaries({"vectors": st.lists(vector, min_size=ranks, max_size=ranks)})

    return st.tuples(st.integers(1, 5), st.integers(0, 7)).flatmap(vectors)


EXERCISES = [
    Exercise(
        name="column_matrix",
        number=1,
        asked="the matrix by which a primitive acts on one column of the grid",
        expected=matrix_by_messages,
        examples=[
            {"primitive": "broadcast", "ranks": 1, "column": 0, "root": 0},
            {"primitive": "broadcast", "ranks": 2, "column": 0, "root": 1},
            {"primitive": "reduce", "ranks": 3, "column": 1, "root": 2},
            {"primitive": "scatter", "ranks": 3, "column": 2, "root": 0},
            {"primitive": "gather", "ranks": 3, "column": 2, "root": 1},
            {"primitive": "all_gather", "ranks": 3, "column": 1, "root": 0},
            {"primitive": "reduce_scatter", "ranks": 3, "column": 1, "root": 0},
            {"primitive": "all_reduce", "ranks": 3, "column": 1, "root": 0},
        ],
        inputs=column_inputs,
        hints=(
            Hint(
                "Ask two questions of a primitive: whose numbers of this column are used, and who ends with something?",
                "12-primitives.md#a-primitive-is-a-matrix",
            ),
            Hint(
                "Each answer is one rank, the root or the owner of the column, or all. Entry (r, q) is 1 where r is "
                "among those who are answered and q among those who are asked.",
                "12-primitives.md#a-primitive-is-a-matrix",
            ),
            Hint(
                'Make a table from the primitive to two of "root", "owner", "all" (scatter: root, owner), turn each '
                "into a set of ranks, and return [[int(r in answered and q in asked) for q in range(ranks)] for r …].",
                "12-primitives.md#transpose",
            ),
        ),
    ),
    Exercise(
        name="all_reduce_by_all_to_all",
        number=2,
        asked="the sums of the columns on all ranks, with an all-to-all as the only communication",
        expected=expected_all_reduce,
        observe=observe_all_reduce,
        examples=[
            {"grid": [[7]]},
            {"grid": [[1, 2], [30, 40]]},
            {"grid": [[1, 2, 3], [10, 20, 30], [100, 200, 300]]},
        ],
        inputs=grid_inputs,
        hints=(
            Hint("An all-reduce is a reduce-scatter and then an all-gather.", "12-primitives.md#compose"),
            Hint(
                "An all-to-all transposes the grid. After it, row r holds all ranks' entries of column r, so rank r "
                "can add them up alone.",
                "12-primitives.md#the-grid",
            ),
            Hint(
                "Rank r's sum has to reach everybody: let it bring a row that repeats the sum N times to a second "
                "all-to-all.",
                "12-primitives.md#what-each-must-move",
            ),
        ),
        units={SENT: "bytes"},
    ),
    Exercise(
        name="ring_all_reduce_replay",
        number=3,
        asked="the sums of a ring all-reduce, to the last bit",
        expected=sums_by_messages,
        examples=[
            {"vectors": [[0.5]]},
            {"vectors": [[1.0, 2.0], [10.0, 20.0]]},
            {"vectors": [[1.0, 1.0, 1.0], [1e16, 1e16, 1e16], [-1e16, -1e16, -1e16]]},
            {"vectors": [[0.1, 0.1], [0.2, 0.2], [0.7, 0.7], [1e16, 1.0], [-1e16, 1e16]]},
            {"vectors": [[], []]},
        ],
        inputs=float_inputs,
        level="hard",
        hints=(
            Hint(
                "Addition of floats depends on the grouping. For every entry, which rank's number comes first, and "
                "which is added next?",
                "12-primitives.md#what-floating-point-takes-away",
            ),
            Hint(
                "All entries of one chunk are added in the same order of ranks, each chunk in another one. First find "
                "the chunk of each entry.",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "For an entry of chunk c, start with vectors[(c + 1) % N], then add those of ranks c + 2, c + 3, … in "
                "this order, (c + N) % N = c last; do not call sum() in the order of the ranks.",
                "13-ring-and-tree.md#the-ring",
            ),
        ),
        relative_tolerance=0.0,
    ),
]

test_answer = graded(EXERCISES)
