"""Exercise: in which order pieces of different sizes are sent and then computed with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.efficiency.overlap.streams import GPU, NETWORK
from snippets.memory.offloading.lanes import LaneTask, run_lanes

ORDER, END = "order", "the last piece is done"
VALID = "every piece once"


def piece_order(pieces: list[tuple[int, int]]) -> list[int]:
    """Return an order of pieces with which the last is done soonest.

    Each piece is sent and then computed with, such as the tokens of one of a
    rank's experts. The network sends one piece after another in your order,
    and the GPU computes with them in the same order, each once it has come.

    Args:
        pieces: for each how many microseconds it is sent, and how many the
            GPU computes with it; both at least 0. At least one piece.

    Returns:
        The numbers of the pieces, from 0, in order. Every order passes with
        which the last piece is done as soon as with any.

    >>> piece_order([(4, 1), (1, 4)])
    [1, 0]
    """
    # What arrives faster than it is used goes first, the quickest to send in front; the rest goes last, the
    # quickest to compute with at the end (Johnson 1954).
    numbers = range(len(pieces))
    first = sorted((i for i in numbers if pieces[i][0] < pieces[i][1]), key=lambda i: pieces[i][0])
    last = sorted((i for i in numbers if pieces[i][0] >= pieces[i][1]), key=lambda i: -pieces[i][1])
    return first + last


def end_of(pieces: list[tuple[int, int]], order: list[int]) -> int:
    """Run the pieces on two lanes."""
    tasks = [LaneTask("send", NETWORK, pieces[i][0]) for i in order]
    for place, i in enumerate(order):
        before = (place,) if place == 0 else (place, len(tasks) - 1)
        tasks.append(LaneTask("compute", GPU, pieces[i][1], before))
    return int(run_lanes(tasks)[-1].end_s)


_KEPT: dict[tuple[tuple[int, int], ...], int] = {}


def soonest(pieces: list[tuple[int, int]]) -> int:
    """Try all orders."""
    key = tuple((int(sent), int(used)) for sent, used in pieces)
    if key not in _KEPT:
        ends = []
        for order in permutations(key):
            arrived = done = 0
            for sent, used in order:
                arrived += sent
                done = max(done, arrived) + used
            ends.append(done)
        _KEPT[key] = min(ends)
    return _KEPT[key]


def expected(pieces: list[tuple[int, int]]) -> Observation:
    """Return what a best order shows."""
    return {ORDER: VALID, END: soonest(pieces)}


def observe(function: Callable[..., Any], pieces: list[tuple[int, int]]) -> Observation:
    """Run an answer's order."""
    order = [int(i) for i in function(pieces)]
    if sorted(order) != list(range(len(pieces))):
        return {ORDER: f"{order!r:.80}, of {len(pieces)} pieces that are counted from 0"}
    return {ORDER: VALID, END: end_of(pieces, order)}


def drawn(chance: Random) -> list[Inputs]:
    """Return up to six pieces each, short and long ones, equal ones and empty ones among them."""
    found = []
    for _draw in range(40):
        most = chance.choice([3, 9, 30])
        count = chance.randint(1, 6)
        found.append({"pieces": [(chance.randint(0, most), chance.randint(0, most)) for _ in range(count)]})
    return found


OWN = [(30, 12), (6, 25), (14, 14), (9, 28), (22, 8), (3, 10)]


def taught() -> str:
    as_given, best = end_of(OWN, list(range(6))), end_of(OWN, piece_order(OWN))
    return (
        f"The six pieces take {best} µs in your order and {as_given} µs as they were given: only the first piece's way "
        "and the last one's computing stand alone, so put short ones there."
    )


EXERCISE = Exercise(
    piece_order,
    number=3,
    level="medium",
    asked="an order of pieces with which the last is done soonest",
    expected=expected,
    observe=observe,
    examples=[
        {"pieces": [(4, 1), (1, 4)]},
        {"pieces": [(5, 5)]},
        {"pieces": [(2, 3), (1, 9), (8, 2)]},
        {"pieces": [(3, 3), (3, 1), (1, 3)]},
        {"pieces": OWN},
        {"pieces": [(5, 3), (0, 0), (0, 1), (2, 5)]},
    ],
    inputs=drawn(Random(33)),
    drawn=drawn,
    units={END: "µs"},
    taught=taught,
    mistakes=[
        Mistake("as_given", "You kept the order in which the pieces were given.", {"first + last": "list(numbers)"}),
        Mistake(
            "quickest_to_send_first",
            "You sorted by what sending takes alone. At the end, what counts is how long the last one computes.",
            lambda pieces: sorted(range(len(pieces)), key=lambda i: pieces[i][0]),
        ),
        Mistake(
            "longest_to_compute_first",
            "You sorted by computing alone. At the beginning, what counts is how soon the first piece is there.",
            lambda pieces: sorted(range(len(pieces)), key=lambda i: -pieces[i][1]),
        ),
        Mistake(
            "shortest_in_all_first",
            "You sorted by the sum of both times. Ask of each piece which of the two is shorter.",
            lambda pieces: sorted(range(len(pieces)), key=lambda i: sum(pieces[i])),
        ),
        Mistake(
            "by_their_difference",
            "You sorted by how much longer computing takes. Of those, the quickest to send goes first.",
            lambda pieces: sorted(range(len(pieces)), key=lambda i: pieces[i][0] - pieces[i][1]),
        ),
        Mistake(
            "by_their_ratio",
            "You sorted by the ratio of the two times. Of those that send faster, the quickest to send goes first.",
            lambda pieces: sorted(
                range(len(pieces)), key=lambda i: pieces[i][0] / pieces[i][1] if pieces[i][1] else float("inf")
            ),
        ),
        Mistake(
            "turned_round",
            "Your order is the right one from behind: it begins with what should be last.",
            {"first + last": "(first + last)[::-1]"},
        ),
        Mistake(
            "second_group_by_sending",
            "You sorted the second group by sending too. There, the quickest to compute with goes last.",
            {"key=lambda i: -pieces[i][1]": "key=lambda i: pieces[i][0]"},
        ),
        Mistake(
            "second_group_upside_down",
            "You put the quickest to compute with at the head of the second group. It goes last.",
            {"key=lambda i: -pieces[i][1]": "key=lambda i: pieces[i][1]"},
        ),
        Mistake(
            "first_group_upside_down",
            "You put the slowest to send first. The GPU waits for the first piece, so begin with the quickest.",
            {"key=lambda i: pieces[i][0]": "key=lambda i: -pieces[i][0]"},
        ),
        Mistake(
            "counts_from_one",
            "You counted the pieces from 1. They are counted from 0.",
            {"first + last": "[i + 1 for i in first + last]"},
        ),
    ],
)
