"""Exercises of chapter 12: Primitives."""

from __future__ import annotations

from collections.abc import Callable

Row = list[float]


def column_matrix(primitive: str, *, ranks: int, column: int, root: int = 0) -> list[list[int]]:
    """Return the matrix by which a primitive acts on one column of the grid.

    Column c of the grid holds, rank by rank, what the ranks have of chunk c, and chunk c belongs to rank c. After the
    primitive the column is this matrix times the column before; a cell that the primitive does not fill counts as 0.

    Args:
        primitive: "broadcast", "reduce", "scatter", "gather", "all_gather", "reduce_scatter" or "all_reduce".
        ranks: number of ranks N.
        column: which column c, from 0 to N − 1.
        root: the root of broadcast, reduce, scatter and gather; 0 for the others.

    Returns:
        N rows of N integers, each 0 or 1.
    """
    raise NotImplementedError("column_matrix is still to be written")


def all_reduce_by_all_to_all(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    """Return what an all-reduce makes of a grid, with an all-to-all as the only communication.

    A rank may compute only with its own row, and the rows of different ranks may meet in ``all_to_all`` alone. A rank
    should send as little as in a ring all-reduce.

    Args:
        grid: N rows of N numbers; row r is what rank r holds.
        all_to_all: takes the N rows that the ranks bring and returns the N rows that they receive: entry s of row r
            goes to rank s, which receives it as entry r.

    Returns:
        N rows of N numbers: in every row the sums of the columns of ``grid``.
    """
    raise NotImplementedError("all_reduce_by_all_to_all is still to be written")


def ring_all_reduce_replay(vectors: list[Row]) -> Row:
    """Return what all ranks hold after a ring all-reduce of floats, equal to the last bit, without messages.

    The sum of chunk c starts as rank c + 1's entries (modulo the number of ranks); each rank on the way round adds its
    own; rank c adds last.

    Args:
        vectors: for each of N ranks its n entries. They are cut into N chunks as evenly as possible; the first n mod N
            chunks have one entry more than the others.

    Returns:
        The n sums, in the order of the entries.
    """
    raise NotImplementedError("ring_all_reduce_replay is still to be written")
