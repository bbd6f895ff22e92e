"""Exercise: an owner for each matrix, so that the largest load is small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

from grader.exercise import Exercise, Mistake, Observation

OWNERS, EXCESS = "a rank for each matrix", "largest load beyond 4/3 − 1/(3R) times the best"


def owners(sizes: Sequence[int], ranks: int) -> list[int]:
    """Give each matrix, whole, to one rank so that the largest load is small.

    Args:
        sizes: numbers in each matrix; there may be none.
        ranks: ranks, R, at least 1.

    Returns:
        For each matrix the rank that owns it, from 0. The largest load is at
        most 4/3 − 1/(3R) times the best possible.

    >>> owners([1, 2, 3, 4], ranks=2)
    [0, 1, 1, 0]
    """
    order = sorted(range(len(sizes)), key=lambda each: -sizes[each])
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in order:
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner


def observe(function: Callable[..., Any], *, sizes: list[int], ranks: int) -> Observation:
    """Say whether every matrix has a rank, and by how much the largest load exceeds what is allowed."""
    owner = function(sizes=sizes, ranks=ranks)
    if len(owner) != len(sizes) or not all(type(rank) is int and 0 <= rank < ranks for rank in owner):
        return {OWNERS: False}
    allowed = (Fraction(4, 3) - Fraction(1, 3 * ranks)) * least_load(tuple(sizes), ranks)
    return {OWNERS: True, EXCESS: max(Fraction(0), largest_load(owner, sizes, ranks) - allowed)}


@cache
def least_load(sizes: tuple[int, ...], ranks: int) -> int:
    """Try all ways to give matrices to ranks."""
    return min(largest_load(owner, sizes, ranks) for owner in product(range(ranks), repeat=len(sizes)))


def largest_load(owner: Any, sizes: Any, ranks: int) -> int:
    loads = [0] * ranks
    for rank, size in zip(owner, sizes, strict=True):
        loads[rank] += size
    return max(loads)


def no_excess(*, sizes: list[int], ranks: int) -> Observation:
    return {OWNERS: True, EXCESS: Fraction(0)}


def dealt(sizes: Sequence[int], ranks: int, order: Any) -> list[int]:
    """Give matrices in an order, each to the rank that has least so far."""
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in order:
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner


def better_of_two_orders(sizes: Sequence[int], ranks: int) -> list[int]:
    both = (dealt(sizes, ranks, range(len(sizes))), dealt(sizes, ranks, reversed(range(len(sizes)))))
    return min(both, key=lambda owner: largest_load(owner, sizes, ranks))


def answers_in_sorted_order(sizes: Sequence[int], ranks: int) -> list[int]:
    owner = owners(sizes, ranks)
    return [owner[index] for index in sorted(range(len(sizes)), key=lambda index: -sizes[index])]


def dealt_there_and_back(sizes: Sequence[int], ranks: int) -> list[int]:
    owner = [0] * len(sizes)
    for place, index in enumerate(sorted(range(len(sizes)), key=lambda each: -sizes[each])):
        owner[index] = min(place % (2 * ranks), 2 * ranks - 1 - place % (2 * ranks))
    return owner


def drawn(chance: Random) -> list[dict[str, Any]]:
    return [
        {"sizes": [chance.randint(1, 120) for _ in range(count)], "ranks": ranks}
        for ranks in (2, 3)
        for count in (3, 4, 5)
        for _ in range(25)
    ]


EXERCISE = Exercise(
    owners,
    number=5,
    level="hard",
    asked="an owner for each matrix, so that the largest load is at most 4/3 − 1/(3R) times the best",
    expected=no_excess,
    observe=observe,
    examples=[
        {"sizes": [1, 1, 2], "ranks": 2},
        {"sizes": [1, 2, 3, 4], "ranks": 2},
        {"sizes": [5, 1, 5, 1, 1], "ranks": 2},
        {"sizes": [7, 4, 4, 7], "ranks": 2},
        {"sizes": [3, 2, 3, 2, 2], "ranks": 2},
        {"sizes": [1, 1], "ranks": 2},
        {"sizes": [1], "ranks": 1},
        {"sizes": [], "ranks": 1},
        {"sizes": [17, 4, 7], "ranks": 2},
        {"sizes": [4, 4, 7, 7, 1, 1], "ranks": 3},
    ],
    inputs=[
        {"sizes": list(sizes), "ranks": ranks}
        for ranks, values, count in (
            (2, range(1, 5), 3),
            (2, range(1, 5), 4),
            (3, range(1, 3), 5),
            (2, (5, 8, 13), 3),
            (3, (40, 90, 100), 4),
        )
        for sizes in product(values, repeat=count)
    ],
    drawn=drawn,
    units={EXCESS: "numbers"},
    mistakes=[
        Mistake(
            "deals_in_turn",
            "Dealt in turn, large matrices can meet on one rank; look at the loads.",
            lambda sizes, ranks: [index % ranks for index in range(len(sizes))],
        ),
        Mistake(
            "keeps_the_order",
            "In the given order, a large matrix that comes last finds no room; take the largest first.",
            {"key=lambda each: -sizes[each]": "key=lambda each: each"},
        ),
        Mistake(
            "gives_one_rank_the_largest_of_each_round",
            "The rank with the largest matrix also gets the largest of every other round, on top of it: so it is where "
            "matrices are dealt in turn by size, and also where the smallest come first. Take the largest first, each "
            "to the rank whose load is least.",
            {"-sizes[each]": "sizes[each]"},
        ),
        Mistake(
            "takes_the_better_of_two_orders",
            "Both orders can be bad, whatever the sizes: sorted, the largest first, the bound holds.",
            better_of_two_orders,
        ),
        Mistake(
            "deals_there_and_back",
            "Dealt there and back, the loads are not looked at: give each matrix to the rank that has least so far.",
            dealt_there_and_back,
        ),
        Mistake(
            "answers_in_sorted_order",
            "The owners are in the order of the sorted matrices, not of the given ones.",
            answers_in_sorted_order,
        ),
        Mistake(
            "cuts_the_list",
            "Equal numbers of matrices are no equal loads.",
            lambda sizes, ranks: [index // -(-len(sizes) // ranks) for index in range(len(sizes))],
        ),
        Mistake(
            "leaves_all_to_rank_0",
            "This is right for one input only: with several ranks, all matrices are on one.",
            lambda sizes, ranks: [0] * len(sizes),
        ),
    ],
)
