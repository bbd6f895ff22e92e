"""Typical wrong answers to chapter 12's exercises, each with what its author is to be told."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from exercises.grading import mutant

Row = list[float]
Matrix = list[list[int]]

FROM_TO = {
    "broadcast": ("root", "all"),
    "reduce": ("all", "root"),
    "scatter": ("root", "owner"),
    "gather": ("owner", "root"),
    "all_gather": ("owner", "all"),
    "reduce_scatter": ("all", "owner"),
    "all_reduce": ("all", "all"),
}


def outer(primitive: str, ranks: int, column: int, root: int) -> Matrix:
    """The right matrix, for mistakes to start from."""
    members = {"root": {root}, "owner": {column}, "all": set(range(ranks))}
    asked, answered = (members[name] for name in FROM_TO[primitive])
    return [[int(r in answered and q in asked) for q in range(ranks)] for r in range(ranks)]


@mutant(
    "column_matrix",
    says="This is the transpose: rows are the ranks that end with something, columns those whose numbers are used.",
)
def matrix_transposed(primitive: str, *, ranks: int, column: int, root: int = 0) -> Matrix:
    return [list(row) for row in zip(*outer(primitive, ranks, column, root), strict=True)]


@mutant("column_matrix", says="The root is rank 0 whatever you are given: use root.")
def root_is_always_0(primitive: str, *, ranks: int, column: int, root: int = 0) -> Matrix:
    return outer(primitive, ranks, column, 0)


@mutant(
    "column_matrix", says="The identity leaves every rank what it had; an all-gather copies the owner's number to all."
)
def all_gather_keeps(primitive: str, *, ranks: int, column: int, root: int = 0) -> Matrix:
    if primitive == "all_gather":
        return [[int(r == q) for q in range(ranks)] for r in range(ranks)]
    return outer(primitive, ranks, column, root)


@mutant(
    "column_matrix", says="A reduce-scatter leaves the sum with the owner of the column only; this is an all-reduce."
)
def reduce_scatter_reaches_all(primitive: str, *, ranks: int, column: int, root: int = 0) -> Matrix:
    return outer("all_reduce" if primitive == "reduce_scatter" else primitive, ranks, column, root)


@mutant(
    "column_matrix", says="A scatter moves a chunk to its owner, and in this column only there; this is a broadcast."
)
def scatter_is_broadcast(primitive: str, *, ranks: int, column: int, root: int = 0) -> Matrix:
    return outer("broadcast" if primitive == "scatter" else primitive, ranks, column, root)


@mutant("column_matrix", says="This is right for one rank only, where every primitive leaves the number as it is.")
def matrix_of_one_rank(primitive: str, *, ranks: int, column: int, root: int = 0) -> Matrix:
    return [[1]]


@mutant(
    "all_reduce_by_all_to_all",
    says="After one all-to-all a rank can form the sum of its own column only: the others need it too.",
)
def one_all_to_all(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    ranks = len(grid)
    return [[sum(row) if chunk == rank else 0 for chunk in range(ranks)] for rank, row in enumerate(all_to_all(grid))]


@mutant("all_reduce_by_all_to_all", says="These are means: an all-reduce adds, and nobody divides.")
def means_of_columns(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    means = [sum(row) / len(row) for row in all_to_all(grid)]
    return all_to_all([[mean] * len(grid) for mean in means])


@mutant(
    "all_reduce_by_all_to_all",
    says="You add up rows before anything is sent: a row is one rank's; a sum is over all ranks' entries of a column.",
)
def sums_of_rows(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    return all_to_all([[sum(row)] * len(grid) for row in grid])


@mutant(
    "all_reduce_by_all_to_all",
    says="The sums are right, but rows of different ranks meet here without a message: only all_to_all may do that.",
)
def no_message(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    return [[sum(column) for column in zip(*grid, strict=True)] for _ in grid]


@mutant(
    "all_reduce_by_all_to_all",
    says="The sums are right, but every rank sends its whole row to all others: add first, then send sums.",
)
def gathers_all_rows(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    ranks = len(grid)
    columns = [all_to_all([[grid[rank][chunk]] * ranks for rank in range(ranks)]) for chunk in range(ranks)]
    return [[sum(columns[chunk][rank]) for chunk in range(ranks)] for rank in range(ranks)]


@mutant("all_reduce_by_all_to_all", says="This is right for one input only: the sums depend on the grid.")
def sums_of_one_grid(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    return [[7]]


def folded(vectors: list[Row], order: Callable[[int, int], list[int]], *, longer_first: bool = True) -> Row:
    """Add each chunk's terms in the order of ranks that ``order(chunk, ranks)`` gives."""
    ranks, length = len(vectors), len(vectors[0])
    whole, longer = divmod(length, ranks)
    result: Row = []
    for chunk in range(ranks):
        more = chunk < longer if longer_first else chunk >= ranks - longer
        for place in range(len(result), len(result) + whole + more):
            first, *others = order(chunk, ranks)
            total = vectors[first][place]
            for rank in others:
                total += vectors[rank][place]
            result.append(total)
    return result


@mutant(
    "ring_all_reduce_replay",
    says="You add in the order of the ranks, 0 first, for all chunks: in a ring every chunk starts at another rank.",
)
def in_order_of_ranks(vectors: list[Row]) -> Row:
    return folded(vectors, lambda chunk, ranks: list(range(ranks)))


@mutant(
    "ring_all_reduce_replay", says="Your walk starts at the owner c; it starts at rank c + 1, and the owner adds last."
)
def starts_at_the_owner(vectors: list[Row]) -> Row:
    return folded(vectors, lambda chunk, ranks: [(chunk + hop) % ranks for hop in range(ranks)])


@mutant("ring_all_reduce_replay", says="Your walk goes backwards: after rank c + 1 comes rank c + 2.")
def walks_backwards(vectors: list[Row]) -> Row:
    return folded(vectors, lambda chunk, ranks: [(chunk - hop) % ranks for hop in range(1, ranks + 1)])


@mutant("ring_all_reduce_replay", says="You made the last chunks the longer ones; the first n mod N are.")
def longer_chunks_last(vectors: list[Row]) -> Row:
    return folded(
        vectors,
        lambda chunk, ranks: [(chunk + hop) % ranks for hop in range(1, ranks + 1)],
        longer_first=False,
    )


@mutant("ring_all_reduce_replay", says="This sum is more exact than the ring's: a ring rounds after every addition.")
def exact_sum(vectors: list[Row]) -> Row:
    return [fsum(column) for column in zip(*vectors, strict=True)]


@mutant("ring_all_reduce_replay", says="These are means: an all-reduce adds, and nobody divides.")
def mean_of_the_ring(vectors: list[Row]) -> Row:
    sums = folded(vectors, lambda chunk, ranks: [(chunk + hop) % ranks for hop in range(1, ranks + 1)])
    return [total / len(vectors) for total in sums]


@mutant("ring_all_reduce_replay", says="This is right for one input only: the sums depend on the vectors.")
def sum_of_one_vector(vectors: list[Row]) -> Row:
    return [0.5]
