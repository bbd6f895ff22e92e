"""Simulators: a primitive on a grid of ranks by chunks, one number in each cell."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from snippets.arrays import number_array
from snippets.domain import named
from snippets.simulation.account import Account
from snippets.simulation.algorithms import PLAINEST, build_collective
from snippets.simulation.runner import run
from snippets.simulation.schedule import Range

Grid = npt.NDArray[Any]


class GridRun(NamedTuple):
    """What a primitive makes of a grid: which cells it reads and which it fills, the grid after, and the account."""

    reads: npt.NDArray[np.bool_]
    fills: npt.NDArray[np.bool_]
    after: Grid
    account: Account


def run_on_grid(primitive: str, grid: npt.ArrayLike, *, algorithm: str | None = None, root: int = 0) -> GridRun:
    """Run a primitive on R ranks that hold one row of a grid each; column j is chunk j, and chunk j belongs to rank j.

    Args:
        primitive: any of ``snippets.simulation.schedule.PRIMITIVES`` but the barrier.
        grid: R × R numbers, real or complex; row r is what rank r holds. Cells that the primitive does not read are
            ignored: a scatter reads the root's row, an all-gather the diagonal.
        algorithm: one of ``snippets.simulation.algorithms.ALGORITHMS[primitive]``; by default the ring or, for what
            has a root, messages between the root and each rank; for the all-to-all, messages between all pairs.
        root: root of broadcast, reduce, scatter and gather; 0 for the others.

    Returns:
        Two R × R masks, the R × R grid after (zero in cells that are not filled), and the account of the run. After
        an all-to-all, row r holds what rank r received, in the order of the senders.

    Raises:
        ValueError: if the grid is not square, or ``primitive``, ``algorithm`` or ``root`` is not allowed.

    Convention: zero stands for "nothing there", so that every primitive is a linear map on all grids.
    Leaves out: chunks of more than one number, and operations other than the sum.

    Example:
        >>> run_on_grid("all_gather", [[1, 9], [9, 2]]).after.tolist()
        [[1, 2], [1, 2]]
    """
    before = number_array("grid", grid, dimensions=2)
    if before.shape[0] != before.shape[1] or not before.size:
        raise ValueError(f"grid must have shape (R, R) with R of at least 1, got {before.shape}")
    primitive = named("primitive", primitive, PLAINEST)
    ranks = len(before)
    chosen = PLAINEST[primitive] if algorithm is None else algorithm
    schedule = build_collective(primitive, chosen, ranks=ranks, length=ranks, root=root)
    exchange = primitive == "all_to_all"
    brought = [_columns(schedule.input_ranges(rank), ranks) for rank in range(ranks)]
    done = run(schedule, [row[columns] for row, columns in zip(before, brought, strict=True)])
    reads, fills = np.zeros(before.shape, bool), np.zeros(before.shape, bool)
    after = np.zeros_like(before)
    for rank, output in enumerate(done.outputs):
        kept = list(range(ranks)) if exchange else _columns(schedule.output_ranges(rank), ranks)
        reads[rank, brought[rank]] = True
        fills[rank, kept] = True
        after[rank, kept] = output
    return GridRun(reads, fills, after, done.account)


def _columns(ranges: tuple[Range, ...], ranks: int) -> list[int]:
    """Return the columns of addresses; in an all-to-all, every rank's addresses start again at column 0."""
    return [address % ranks for start, stop in ranges for address in range(start, stop)]
