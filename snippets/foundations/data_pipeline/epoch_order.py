"""Formulas: one global order of examples for an epoch, and which of them a rank gets in a step, on any number of ranks.

Standard library only. The state of the sampler is two numbers, the epoch and the position in its order. It holds no
number of ranks, so a run may stop after any step and go on with others.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from snippets.domain import at_most, each, nonnegative_integer, positive_integer


def epoch_order(*, examples: int, seed: int, epoch: int) -> list[int]:
    """Return the order of an epoch: every example once, the same list on every rank and after every restart.

    Source: derived in this book.

    Args:
        examples: how many there are, at most 2²⁰.
        seed: the run's, at least 0.
        epoch: counted from 0.

    Leaves out: data sets whose order does not fit in memory.

    Example:
        >>> epoch_order(examples=8, seed=0, epoch=0)
        [3, 6, 0, 2, 5, 7, 1, 4]
    """
    order = list(range(at_most("examples", positive_integer("examples", examples))))
    seed, epoch = nonnegative_integer("seed", seed), nonnegative_integer("epoch", epoch)
    random.Random(f"order {seed} of epoch {epoch}").shuffle(order)
    return order


def epoch_rank_share(*, position: int, examples: int, ranks: int, rank: int) -> range:
    """Return the places of the epoch's order that one rank takes in a step; no two shares differ by more than one.

    Formula: $[\\,o + \\lfloor rB/R \\rfloor,\\; o + \\lfloor (r+1)B/R \\rfloor\\,)$
    Symbols: o = position; B = all examples of the step; R = ranks; r = rank
    Chapter: 4

    Args:
        position: the step's first place in the epoch's order, at least 0.
        examples: examples of the step, at least 0.
        ranks: how many ranks share the step.
        rank: which of them, at least 0.

    Source: derived in this book.
    Convention: consecutive places; a rank may get none.
    Leaves out: equal shapes, which a short last step does not give.

    Example:
        >>> [list(epoch_rank_share(position=8, examples=5, ranks=4, rank=rank)) for rank in range(4)]
        [[8], [9], [10], [11, 12]]
    """
    p, n = nonnegative_integer("position", position), nonnegative_integer("examples", examples)
    N, r = positive_integer("ranks", ranks), nonnegative_integer("rank", rank)
    if r >= N:
        raise ValueError(f"rank must be below ranks = {N}, got {rank!r}")
    return range(p + r * n // N, p + (r + 1) * n // N)


def rank_batches(order: Sequence[int], *, position: int, batch: int, ranks: int, rank: int) -> list[list[int]]:
    """Return the examples of a rank in each step, from a position in the epoch's order to its end.

    Source: derived in this book.

    Args:
        order: the epoch's examples in their global order.
        position: examples of it that have been consumed, at least 0.
        batch: examples of a step, of all ranks together.
        ranks: how many ranks there are now.
        rank: which of them, at least 0.

    Leaves out: dropping or padding a short last step.

    Example:
        >>> rank_batches([3, 6, 0, 2, 5, 7, 1, 4], position=4, batch=4, ranks=2, rank=1)
        [[1, 4]]
    """
    order, batch = each("order", order, nonnegative_integer), positive_integer("batch", batch)
    length = len(order)
    if not length:
        raise ValueError("order must hold at least one example, got none")
    first = at_most("position", position, length)
    steps = range(first, length, batch)
    return [
        [
            order[place]
            for place in epoch_rank_share(position=a, examples=min(batch, length - a), ranks=ranks, rank=rank)
        ]
        for a in steps
    ]
