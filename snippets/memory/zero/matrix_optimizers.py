"""Formulas: optimizers that need whole matrices (Muon, Shampoo): what they compute and keep, and who may do it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import at_most, each, positive_integer


def newton_schulz_flops(*, rows: int, columns: int, steps: int = 5) -> int:
    """Return the operations of Muon's orthogonalisation of one matrix.

    Also: Muon
    Formula: $F = S\\,(4 q_1^2 q_2 + 2 q_1^3)$
    Symbols: F = the result; S = steps; q_1 = the smaller and q_2 = the larger of rows and columns
    Chapter: 22

    Args:
        rows: of the matrix.
        columns: of the matrix.
        steps: Newton-Schulz iterations; Muon makes 5.

    Returns:
        Operations, exact, of the three products of each iteration: XXᵀ, its square, and their combination times X.

    Source: Jordan et al. 2024, who bound an iteration by 6 q_1² q_2.
    Convention: a product of m × k and k × n takes 2mkn; the matrix is transposed so that q_1 is its number of rows.
    Leaves out: that XXᵀ is symmetric; sums of matrices; the norm.

    Example:
        >>> newton_schulz_flops(rows=4096, columns=4096) / 4096**3
        30.0
    """
    small, large = sorted((positive_integer("rows", rows), positive_integer("columns", columns)))
    return positive_integer("steps", steps) * (4 * small**2 * large + 2 * small**3)


def shampoo_numbers(*, rows: int, columns: int, block: int | None = None) -> int:
    """Return the numbers in Shampoo's two preconditioners of one matrix.

    Also: Shampoo
    Formula: $\\sum_{ij} (q_i^2 + q_j^2)$
    Symbols: q_i, q_j = rows and columns of block (i, j)
    Chapter: 22

    Args:
        rows: of the matrix.
        columns: of the matrix.
        block: largest side of a block that has preconditioners of its own; one block if ``None``.

    Returns:
        Numbers, exact; an implementation that keeps inverse roots besides has twice as many.

    Source: Gupta et al. 2018 (the sum of both squares for a matrix); Shi et al. 2023 for blocks.
    Convention: the last block of a side may be smaller.
    Leaves out: momentum; grafting, which keeps another optimizer's state.

    Example:
        >>> shampoo_numbers(rows=4, columns=6), shampoo_numbers(rows=4, columns=6, block=2)
        (52, 48)
    """
    blocks, squares = [], []
    for name, length in (("rows", rows), ("columns", columns)):
        length = positive_integer(name, length)
        side = length if block is None else positive_integer("block", block)
        whole, rest = divmod(length, side)
        blocks.append(whole + (rest > 0))
        squares.append(whole * side**2 + rest**2)
    return blocks[1] * squares[0] + blocks[0] * squares[1]


@dataclass(frozen=True)
class Assignment:
    """Which rank owns which piece of work.

    Attributes:
        owners: for each piece its rank.
        loads: for each rank the sum of its pieces.

    >>> Assignment((0, 1), (3, 5)).imbalance
    1.25
    """

    owners: tuple[int, ...]
    loads: tuple[int, ...]

    @property
    def imbalance(self) -> float:
        """The largest load over the mean load: by how much waiting for the slowest stretches the work.

        >>> Assignment((0,), (4, 0)).imbalance
        2.0
        """
        total = sum(self.loads)
        return max(self.loads) * len(self.loads) / total if total else 1.0


def assign_whole(sizes: Sequence[int], *, ranks: int) -> Assignment:
    """Give each piece of work, whole, to one rank, the largest first and each to the rank that has least.

    Formula: $\\frac{\\max_r \\ell_r}{\\mathrm{best}} \\le \\frac43 - \\frac{1}{3R}$
    Symbols: \\ell_r = loads of the result; R = ranks
    Chapter: 22

    Args:
        sizes: of the pieces, numbers of any unit.
        ranks: ranks, at most 2²⁰.

    Returns:
        The assignment; ties go to the lower rank and the earlier piece.

    Source: Graham 1969, whose bound this is.
    Convention: pieces cannot be cut.
    Leaves out: how long each takes on a real device.

    Example:
        >>> assign_whole([3, 3, 2, 2, 2], ranks=2).loads
        (7, 5)
    """
    pieces = each("sizes", sizes, positive_integer)
    loads = [(0, rank) for rank in range(at_most("ranks", positive_integer("ranks", ranks)))]
    owners = [0] * len(pieces)
    for piece in sorted(range(len(pieces)), key=lambda index: -pieces[index]):
        load, rank = heapq.heappop(loads)
        owners[piece] = rank
        heapq.heappush(loads, (load + pieces[piece], rank))
    return Assignment(tuple(owners), tuple(load for load, _ in sorted(loads, key=lambda entry: entry[1])))
