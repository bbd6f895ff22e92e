"""Exercise: an all-reduce with an all-to-all as the only communication."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from operator import ne
from random import Random
from typing import Any

from grader.comparing import same
from grader.exercise import Exercise, Mistake, Observation

SENT, FOLLOWS = "sent by each rank", "the sums depend on what rank 0 receives"
ENOUGH = "what a rank has and receives is enough for its sums, whatever the others' rows are"

Row = list[float]
Heard = tuple[int, list[Row]]


def all_reduce_by_all_to_all(
    grid: list[Row],
    *,
    all_to_all: Callable[[list[Row]], list[Row]],
) -> list[Row]:
    """Return what an all-reduce makes of a grid, by all-to-alls alone.

    An all-to-all is the only communication: a rank may compute only with its
    own row, and the rows of different ranks may meet in ``all_to_all`` alone.
    A rank should send as little as in a ring all-reduce.

    Args:
        grid: R rows of R numbers; row r is what rank r holds.
        all_to_all: takes the R rows that the ranks bring and returns the R rows
            that they receive: entry q of row r goes to rank q, which receives
            it as entry r.

    Returns:
        R rows of R numbers: in every row the sums of the columns of ``grid``.

    >>> transpose = lambda rows: [list(column) for column in zip(*rows)]
    >>> all_reduce_by_all_to_all([[1, 2], [30, 40]], all_to_all=transpose)
    [[31, 42], [31, 42]]
    """
    # Chunk j of every rank goes to rank j, which adds, and the sum goes to every rank.
    sums = [sum(row) for row in all_to_all(grid)]
    return all_to_all([[total] * len(grid) for total in sums])


def expected_all_reduce(grid: list[Row]) -> Observation:
    """The sums of the columns, and the bytes of a ring whose chunks are one number of 8 bytes each."""
    sums = [sum(column) for column in zip(*grid, strict=True)]
    return {"result": [sums] * len(grid), SENT: 2 * (len(grid) - 1) * 8, FOLLOWS: True, ENOUGH: True}


def observe_all_reduce(function: Callable[..., Any], grid: list[Row]) -> Observation:
    """Hand over an all-to-all that counts, one that changes what rank 0 receives from rank 1, and others' rows."""
    disturbed, _ = run(function, deepcopy(grid), disturbance=1000)
    result, received = run(function, grid)
    follows = len(grid) == 1 or (all(map(ne, result, disturbed)) and disturbed[:1] != disturbed[-1:])
    right = same(result, [[sum(column) for column in zip(*grid, strict=True)]] * len(grid), 1e-9)
    asked = right and follows and len(grid) > 1  # of an answer that is wrong already, it would say nothing more
    enough = not asked or keeps_its_sums(function, grid, result, received)
    return {"result": result, SENT: 8 * (len(grid) - 1) * len(received), FOLLOWS: follows, ENOUGH: enough}


def run(
    function: Callable[..., Any], grid: list[Row], *, disturbance: float = 0, heard: Heard | None = None
) -> tuple[list[Row], list[list[Row]]]:
    """Run an answer, and return what it returns and what the ranks received, one all-to-all after the other.

    Args:
        function: the answer.
        grid: the ranks' rows.
        disturbance: is added to what rank 0 receives from rank 1.
        heard: a rank, and the rows that it is to receive instead.
    """
    received: list[list[Row]] = []

    def all_to_all(rows: list[Row]) -> list[Row]:
        if any(len(row) != len(rows) for row in rows):
            raise ValueError("all_to_all takes R rows of R numbers")
        columns = [list(column) for column in zip(*rows, strict=True)]
        columns[0][1:2] = [number + disturbance for number in columns[0][1:2]]
        if heard and len(received) < len(heard[1]):
            columns[heard[0]] = list(heard[1][len(received)])
        received.append(columns)
        return deepcopy(columns)

    return function(grid=grid, all_to_all=all_to_all), received


def keeps_its_sums(function: Callable[..., Any], grid: list[Row], result: list[Row], received: list[list[Row]]) -> bool:
    """Say whether a rank ends with the same sums, whatever the others' rows are, if it receives the same.

    In the same run with others' rows, in which it receives what these send, it has to end with other sums; which comes
    first is drawn, so that an answer cannot go by what it has seen before.
    """
    chance = Random()
    rank = chance.randrange(len(grid))
    others = [
        row if number == rank else [entry + chance.randint(1, 9) for entry in row] for number, row in enumerate(grid)
    ]
    sums = [sum(column) for column in zip(*others, strict=True)]
    heard = rank, [columns[rank] for columns in received]
    wanted: list[tuple[Heard | None, Row]] = [(heard, result[rank]), (None, sums)]
    chance.shuffle(wanted)
    return all(same(run(function, deepcopy(others), heard=given)[0][rank], row, 1e-9) for given, row in wanted)


def grid(ranks: int, seed: int) -> list[Row]:
    chance = Random(seed)
    return [[chance.randint(-9, 9) for _ in range(ranks)] for _ in range(ranks)]


def sends_zeros(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    for _ in range(2):
        all_to_all([[0] * len(grid)] * len(grid))
    return [[sum(column) for column in zip(*grid, strict=True)]] * len(grid)


def gathers_all_rows(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    chunks = [all_to_all([[row[chunk]] * len(grid) for row in grid]) for chunk in range(len(grid))]
    return [[sum(rows[rank]) for rows in chunks] for rank in range(len(grid))]


def taught() -> str:
    ranks = 8
    rows = grid(ranks, 1)
    _, received = run(all_reduce_by_all_to_all, rows)
    sent, ring = 8 * (ranks - 1) * len(received), expected_all_reduce(rows)[SENT]
    return (
        f"Each of {ranks} ranks sends {sent} bytes for a vector of {8 * ranks}, and in a ring {ring}: as many. A ring "
        f"takes {2 * (ranks - 1)} steps between neighbours; here {len(received)} all-to-alls go between all pairs."
    )


EXERCISE = Exercise(
    all_reduce_by_all_to_all,
    number=3,
    asked="the sums of the columns on all ranks, with an all-to-all as the only communication",
    expected=expected_all_reduce,
    observe=observe_all_reduce,
    examples=[{"grid": [[1, 2], [30, 40]]}, {"grid": [[7]]}, {"grid": [[1, 2, 3], [10, 20, 30], [100, 200, 300]]}],
    inputs=[{"grid": grid(ranks, seed)} for ranks in range(2, 6) for seed in range(15)],
    drawn=lambda chance: [{"grid": grid(ranks, chance.randrange(10**9))} for ranks in range(2, 6) for _ in range(15)],
    units={SENT: "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "one_all_to_all",
            "After one all-to-all a rank can form the sum of its own column only: the others need it too.",
            {
                "all_to_all([[total] * len(grid) for total in sums])": "[[total if rank == chunk else 0 for chunk in "
                "range(len(grid))] for rank, total in enumerate(sums)]"
            },
        ),
        Mistake(
            "means_of_columns",
            "These are means: an all-reduce adds, and nobody divides.",
            {"sum(row)": "sum(row) / len(row)"},
        ),
        Mistake(
            "sums_of_rows",
            "You add up rows before anything is sent: a row is one rank's; a sum is over all ranks' entries of a "
            "column.",
            {"in all_to_all(grid)": "in grid"},
        ),
        Mistake(
            "no_message",
            "The sums are right, but rows of different ranks meet here without a message: only all_to_all may do that.",
            lambda grid, all_to_all: [[sum(column) for column in zip(*grid, strict=True)]] * len(grid),
        ),
        Mistake(
            "sends_zeros",
            "The sums are right, but rows of different ranks meet here without a message: only all_to_all may do that.",
            sends_zeros,
        ),
        Mistake(
            "sums_meet_without_a_message",
            "The sums are right, but each is on one rank, and here they meet without a message: only all_to_all may "
            "do that.",
            {"all_to_all([[total] * len(grid) for total in sums])": "[sums] * len(grid)"},
        ),
        Mistake(
            "gathers_all_rows",
            "The sums are right, but every rank sends its whole row to all others: add first, then send sums.",
            gathers_all_rows,
        ),
        Mistake(
            "sums_of_one_grid", "This is right for one input only: the sums depend on the grid.", lambda **_: [[7]]
        ),
    ],
)
