"""Solutions of chapter 12's exercises."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

Row = list[float]

# Who is asked and who is answered: "root", "owner" of the column, or "all".
FROM_TO = {
    "broadcast": ("root", "all"),
    "reduce": ("all", "root"),
    "scatter": ("root", "owner"),
    "gather": ("owner", "root"),
    "all_gather": ("owner", "all"),
    "reduce_scatter": ("all", "owner"),
    "all_reduce": ("all", "all"),
}


def column_matrix(primitive: str, *, ranks: int, column: int, root: int = 0) -> list[list[int]]:
    """The outer product of the ranks that are answered (rows) and those that are asked (columns)."""
    members = {"root": {root}, "owner": {column}, "all": set(range(ranks))}
    asked, answered = (members[name] for name in FROM_TO[primitive])
    return [[int(r in answered and q in asked) for q in range(ranks)] for r in range(ranks)]


def all_reduce_by_all_to_all(grid: list[Row], *, all_to_all: Callable[[list[Row]], list[Row]]) -> list[Row]:
    """Send chunk c of every rank to rank c, add, and send the sum to every rank."""
    sums = [sum(row) for row in all_to_all(grid)]
    return all_to_all([[total] * len(grid) for total in sums])


def ring_all_reduce_replay(vectors: list[Row]) -> Row:
    """Add the terms of each chunk in the order in which the ring meets them: ranks c + 1, c + 2, …, c."""
    ranks, length = len(vectors), len(vectors[0])
    whole, longer = divmod(length, ranks)
    starts = [chunk * whole + min(chunk, longer) for chunk in range(ranks + 1)]
    result: Row = []
    for chunk, (start, stop) in enumerate(pairwise(starts)):
        for place in range(start, stop):
            total = vectors[(chunk + 1) % ranks][place]
            for hop in range(2, ranks + 1):
                total += vectors[(chunk + hop) % ranks][place]
            result.append(total)
    return result
