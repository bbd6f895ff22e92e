"""Exercise: the links between two halves of a torus."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from math import prod
from random import Random

from grader.exercise import Exercise, Inputs, Mistake
from snippets.foundations.hierarchy.simulators import minimum_bisection_links, torus


def torus_bisection_links(
    *,
    sides: Sequence[int],
) -> int:
    """Return the fewest links between two halves of a torus.

    Every line of hosts is closed to a ring. Along a side of 2 there are two
    links between the two hosts, along a side of 1 there are none.

    Args:
        sides: hosts along each dimension. The longest side is even.

    Returns:
        Links, over the worst way to halve the hosts, each counted once.

    >>> torus_bisection_links(sides=[4, 2])
    4
    """
    return 2 * math.prod(sides) // max(sides)


@cache
def by_trying_all(sides: tuple[int, ...]) -> int:
    """Build the torus and try every half of its hosts."""
    return minimum_bisection_links(torus(sides))[0]


def expected(*, sides: Sequence[int]) -> int:
    return by_trying_all(tuple(sides))


def of(*sides: int) -> Inputs:
    return {"sides": list(sides)}


def taught() -> str:
    sides = (16, 20, 28)
    links = torus_bisection_links(sides=sides)
    return (
        f"The pod of 16 × 20 × 28 has {links} links between its halves: two for each of the {links // 2} lines along "
        "the longest side, because a ring is cut in two places."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return tori of at most 12 hosts, and some larger ones that are small to cut."""
    small = [
        sides
        for count in (2, 3, 4)
        for sides in product((1, 2, 3, 4, 5, 6), repeat=count)
        if max(sides) % 2 == 0 and prod(sides) <= 12
    ]
    return [of(*sides) for sides in chance.sample(small, 16)]


EXERCISE = Exercise(
    torus_bisection_links,
    number=2,
    level="easy",
    asked="the fewest links between two halves of the torus",
    expected=expected,
    examples=[of(4, 2), of(2), of(6), of(4, 3), of(3, 4), of(2, 2), of(1, 6, 2)],
    inputs=[
        of(4),
        of(8),
        of(10),
        of(12),
        of(6, 2),
        of(2, 6),
        of(1, 4),
        of(4, 1, 3),
        of(2, 2, 2),
        of(2, 1, 2),
        of(2, 4),
        of(2, 2, 2, 2),
        of(2, 1, 1, 4),
    ],
    drawn=drawn,
    units={"result": "links"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_way_round",
            "Every line is a ring, so a cut through it parts two links: where you cut, and where the ends are joined.",
            {"2 * math.prod": "math.prod"},
        ),
        Mistake(
            "cuts_the_shortest_side",
            "A cut across the longest side crosses the fewest lines; the worst halving is that one.",
            {"max(sides)": "min(sides)"},
        ),
        Mistake(
            "cuts_the_first_side",
            "The longest side need not be the first.",
            {"max(sides)": "sides[0]"},
        ),
        Mistake(
            "counts_both_directions",
            "A link is counted once; its two directions carry traffic in opposite ways.",
            {"2 * math.prod": "4 * math.prod"},
        ),
        Mistake(
            "takes_equal_sides",
            "This is right for equal sides: with unequal ones the cross-section is the product of the other sides.",
            {"math.prod(sides) // max(sides)": "max(sides) ** (len(sides) - 1)"},
        ),
        Mistake(
            "halves_the_hosts",
            "This is what half of the hosts could send through one link each; a cut parts two links of each line along "
            "the longest side.",
            {"2 * math.prod(sides) // max(sides)": "math.prod(sides) // 2"},
        ),
        Mistake(
            "adds_the_sides",
            "A cut through one side crosses every line along it: their number is a product, not a sum.",
            {"2 * math.prod(sides) // max(sides)": "2 * (sum(sides) - max(sides))"},
        ),
    ],
)
