"""Exercise: the messages of SUMMA on a grid of workers, no more than needed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, Observation

Place = tuple[int, int]
"""Row and column, from 0, of a worker on its grid or of a matrix's block."""

Send = tuple[Place, Place, str, Place]
"""Source, destination, ``"A"`` or ``"B"``, the block's place in that matrix."""


def summa_messages(size: int) -> list[Send]:
    """List SUMMA's messages on size × size workers, in an order that works.

    A and B are cut into size × size blocks, and worker (i, j) starts with block
    (i, j) of both. To compute block (i, j) of C it needs the blocks (i, 0),
    (i, 1), … of A and (0, j), (1, j), … of B. A worker can send what it holds
    at the start and what was sent to it before.

    Args:
        size: rows of the grid, and columns, at least 1.

    Returns:
        The messages, no more than needed: ``((0, 0), (0, 1), "A", (0, 0))``
        copies block (0, 0) of A from worker (0, 0) to worker (0, 1).

    >>> sorted(send for send in summa_messages(2) if send[0] == (0, 0))
    [((0, 0), (0, 1), 'A', (0, 0)), ((0, 0), (1, 0), 'B', (0, 0))]
    """
    # Panel s of A goes along each row and panel s of B along each column, from its owner around the ring.
    messages: list[Send] = []
    for s in range(size):
        for hop in range(size - 1):
            here, there = (s + hop) % size, (s + hop + 1) % size
            for line in range(size):
                messages.append(((line, here), (line, there), "A", (line, s)))
                messages.append(((here, line), (there, line), "B", (s, line)))
    return messages


BLOCK_BYTES = 16 * 16 * 2  # blocks have 16 × 16 numbers of 2 bytes


def needed_messages(size: int) -> Observation:
    """Count: each of the 2·size² blocks is needed by the size − 1 other workers of its line."""
    sent = 2 * size**2 * (size - 1) * BLOCK_BYTES
    return {
        "message that cannot be sent": "none",
        "block that is missing at the end": "none",
        "sent by all workers": sent,
    }


def carried_out(function: Callable[..., list[Send]], size: int) -> Observation:
    """Send one message after the other, among workers that hold the blocks that they start with."""
    grid = list(product(range(size), repeat=2))
    held = {place: {("A", place), ("B", place)} for place in grid}
    sent, refused = 0, "none"
    for number, (source, destination, matrix, block) in enumerate(function(size=size), 1):
        if (matrix, block) not in held.get(source, ()):
            refused = f"number {number}: worker {source} does not hold {matrix}{block}"
            break
        held.setdefault(destination, set()).add((matrix, block))
        sent += BLOCK_BYTES
    needed = [((i, j), *one) for i, j in grid for s in range(size) for one in (("A", (i, s)), ("B", (s, j)))]
    missing = (f"worker {place} lacks {matrix}{at}" for place, matrix, at in needed if (matrix, at) not in held[place])
    return {
        "message that cannot be sent": refused,
        "block that is missing at the end": next(missing, "none"),
        "sent by all workers": sent,
    }


def drawn(chance: Random) -> list[Inputs]:
    """Return small grids, and some that are larger than the book's."""
    return [{"size": size} for size in (1, 2, 3, *chance.sample((7, *range(9, 15)), 6))]


EXERCISE = Exercise(
    summa_messages,
    number=5,
    level="hard",
    asked="the messages of SUMMA on a grid of size × size workers, no more than needed",
    expected=needed_messages,
    observe=carried_out,
    examples=[{"size": 2}, {"size": 1}, {"size": 5}],
    inputs=[{"size": size} for size in (1, 2, 3, 4, 5, 6, 8)],
    drawn=drawn,
    units={"sent by all workers": f"bytes, {BLOCK_BYTES} a message"},
    mistakes=[
        Mistake(
            "swaps_rows_and_columns",
            "You sent A along the columns of the grid and B along its rows; block (i, j) of C needs row i of A and "
            "column j of B.",
            {'"A", (line, s)': '"B", (line, s)', '"B", (s, line)': '"A", (s, line)'},
        ),
        Mistake(
            "sends_everything_to_everyone",
            "More is sent than needed: a block of A is used in one row of the grid only, a block of B in one column "
            "only.",
            lambda size: [
                (x, y, matrix, x) for matrix in "AB" for x, y in permutations(product(range(size), repeat=2), 2)
            ],
        ),
        Mistake(
            "sends_to_itself",
            "More is sent than needed: a worker also sends what it has to itself.",
            lambda size: [
                ((i, j), *rest)
                for i, j, other in product(range(size), repeat=3)
                for rest in (((i, other), "A", (i, j)), ((other, j), "B", (i, j)))
            ],
        ),
        Mistake(
            "sends_a_to_itself",
            "More is sent than needed: a worker also sends its block of A to itself.",
            lambda size: [
                ((i, j), *rest)
                for i, j, other in product(range(size), repeat=3)
                for rest in (((i, other), "A", (i, j)), ((other, j), "B", (i, j)))
                if rest[1] == "A" or other != i
            ],
        ),
        Mistake(
            "sends_to_the_next_alone",
            "Each block goes one worker further and stops there; all the others of its line need it too.",
            {"range(size - 1)": "range(min(1, size - 1))"},
        ),
        Mistake(
            "passes_on_too_early",
            "A worker can send only what it holds: the nearest worker must have a block before it can pass it on.",
            {"range(size - 1)": "reversed(range(size - 1))"},
        ),
        Mistake(
            "forgets_b",
            "Only A is sent. Send both matrices.",
            {'                messages.append(((here, line), (there, line), "B", (s, line)))\n': ""},
        ),
        Mistake(
            "no_messages",
            "This is right for one input only: a single worker needs no message, several do.",
            lambda size: [],
        ),
    ],
)
