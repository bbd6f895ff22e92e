"""Exercises of chapter A1: a product in pieces, and what it costs to put it together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Place = tuple[int, int]
"""The row and the column of a worker on its grid, or of a block in its matrix, both from 0."""

Send = tuple[Place, Place, str, Place]
"""Source, destination, ``"A"`` or ``"B"``, and the block's place in that matrix."""


def k_split_product(a: NDArray[np.number], b: NDArray[np.number], parts: int) -> list[NDArray[np.number]]:
    """Cut the shared dimension of A·B into parts and return one partial product for each.

    Part p has the columns of A and the rows of B of its range. The ranges follow each other and differ in length by at
    most 1; the longer ones come first. A part may be empty.

    Args:
        a: A, m × k.
        b: B, k × n.
        parts: number of parts, at least 1; it need not divide k.

    Returns:
        ``parts`` arrays of m × n, whose sum is A·B.
    """
    raise NotImplementedError("k_split_product is still to be written")


def row_split_product(
    a: NDArray[np.number], b: NDArray[np.number], parts: int
) -> tuple[list[NDArray[np.number]], list[int]]:
    """Cut A by rows, multiply each part by B, and count the bytes that each part's worker holds in the end.

    Args:
        a: A, m × k.
        b: B, k × n, of the same type as A.
        parts: number of parts, at least 1; it need not divide m. Rows are dealt as in ``k_split_product``.

    Returns:
        The blocks of rows of A·B, one for each part; and for each part the bytes that its worker holds when it has
        multiplied: its rows of A, what it needs of B, and its rows of the product.
    """
    raise NotImplementedError("row_split_product is still to be written")


def summa_messages(size: int) -> list[Send]:
    """List the messages of SUMMA on a grid of size × size workers, in an order in which they can be sent.

    A and B are cut into size × size blocks, and worker (i, j) starts with block (i, j) of both. To compute block (i, j)
    of C it needs the blocks (i, 0), (i, 1), … of A and (0, j), (1, j), … of B. A worker can send what it holds at the
    start and what was sent to it before.

    Args:
        size: rows of the grid, and columns, at least 1.

    Returns:
        The messages, no more than needed: ``((0, 0), (0, 1), "A", (0, 0))`` copies block (0, 0) of A from worker
        (0, 0) to worker (0, 1).
    """
    raise NotImplementedError("summa_messages is still to be written")


def grid_traffic_bytes(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    """Count the bytes that all workers of a grid send together for one product, C left sharded.

    The grid has r rows, c columns and d layers. Each number of A and of B is held by one worker at the start. Rows of
    workers share rows of A, columns share columns of B, and each layer adds its part of the shared dimension to C,
    which is summed over the layers by a reduce-scatter.

    Args:
        m: rows of A.
        k: columns of A and rows of B.
        n: columns of B.
        grid: (r, c, d).
        bytes_per_element: bytes of one number.

    Returns:
        Bytes, of all workers together.
    """
    raise NotImplementedError("grid_traffic_bytes is still to be written")
