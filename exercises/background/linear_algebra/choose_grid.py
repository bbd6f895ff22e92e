"""Exercise: the grid of workers that fits in memory and sends least for a layer's product."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.background.linear_algebra.formulas import grid_traffic_words

GRID, ROOM, SENT = "grid", "room", "sent by all workers"
WORKERS, FREE = "of all workers", "no more than is free"
Grid = tuple[int, int, int]
NONE_FOUND = ("empty", "NoneType", "index out of range")  # what errors say of an answer that finds no grid


def choose_grid(
    *,
    m: int,
    k: int,
    n: int,
    workers: int,
    free_bytes: int,
    replicated: str,
    element_bytes: int,
) -> tuple[int, int, int]:
    """Choose the grid of ρ × κ × λ workers that fits and sends least.

    A is m × k and B is k × n; C = A·B ends sharded. At the start each worker
    holds a share of 1/workers of A and of B, or a whole matrix where it is
    replicated; of that one nothing is ever sent. Besides, a worker needs room
    for

    - its block of C, m/ρ × n/κ numbers, until the layers have been summed;
    - what passes through: while it multiplies, a panel of A (m/ρ rows) if A is
      sent along its row, and one of B (n/κ columns) if B is sent along its
      column, both k / (λ · max(ρ, κ)) wide, since a panel comes from
      one owner and the finer of the two divisions decides; afterwards, with
      several layers, a part of a block of C, m/(ρ·λ) × n/κ. The larger of
      these two counts.

    Args:
        m: rows of A, a multiple of ``workers``, like k and n.
        k: columns of A and rows of B.
        n: columns of B.
        workers: how many there are, a power of two.
        free_bytes: room of each besides its A and B; at least one grid fits.
        replicated: ``"neither"``, or the matrix that all workers hold whole:
            ``"A"`` or ``"B"``.
        element_bytes: bytes of one number.

    Returns:
        (ρ, κ, λ), whose product is ``workers``. Of several that fit and send
        least, any.

    >>> choose_grid(m=4, k=8, n=2, workers=2, free_bytes=1000,
    ...             replicated="neither", element_bytes=2)
    (1, 1, 2)
    """
    fitting: list[tuple[int, Grid]] = []
    divisors = [parts for parts in range(1, workers + 1) if workers % parts == 0]
    for rows, columns in [
        (rows, columns) for rows in divisors for columns in divisors if workers % (rows * columns) == 0
    ]:
        layers = workers // (rows * columns)
        a_sent = 0 if replicated == "A" else m * k * (columns - 1)
        b_sent = 0 if replicated == "B" else k * n * (rows - 1)
        wide = layers * max(rows, columns)
        a_panel = m * k // (rows * wide) if a_sent else 0
        b_panel = k * n // (columns * wide) if b_sent else 0
        block = m * n // (rows * columns)
        part = block // layers if layers > 1 else 0
        if (block + max(a_panel + b_panel, part)) * element_bytes <= free_bytes:
            fitting.append((a_sent + b_sent + m * n * (layers - 1), (rows, columns, layers)))
    return min(fitting)[1]


def grids_of(workers: int) -> list[Grid]:
    divisors = [number for number in range(1, workers + 1) if workers % number == 0]
    return [
        (rows, columns, workers // (rows * columns))
        for rows in divisors
        for columns in divisors
        if workers // rows % columns == 0
    ]


def room(m: int, k: int, n: int, grid: Grid, replicated: str) -> int:
    """Count the numbers that a worker of a grid needs room for besides its A and B."""
    rows, columns, layers = grid
    of_a, of_b = (columns > 1) * (replicated != "A") * m * columns, (rows > 1) * (replicated != "B") * n * rows
    panels = (of_a + of_b) * k // (rows * columns * layers * max(rows, columns))
    return m * n // (rows * columns) + max(panels, (layers > 1) * m * n // (rows * columns * layers))


def best_counted(
    *, m: int, k: int, n: int, workers: int, free_bytes: int, replicated: str, element_bytes: int
) -> Observation:
    """Try every grid by the forms below, which ``test_choose_grid.py`` holds to simulated workers."""
    sent = [
        traffic(m, k, n, grid, replicated) * element_bytes
        for grid in grids_of(workers)
        if room(m, k, n, grid, replicated) * element_bytes <= free_bytes
    ]
    return {GRID: WORKERS, ROOM: FREE, SENT: min(sent)}


def traffic(m: int, k: int, n: int, grid: Grid, replicated: str) -> int:
    """Count the numbers that all workers of a grid send."""
    rows, columns, _ = grid
    spared = {"neither": 0, "A": m * k * (columns - 1), "B": k * n * (rows - 1)}[replicated]
    return grid_traffic_words(m=m, k=k, n=n, grid=grid) - spared


def observe_grid(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Say what the grid that was chosen needs and sends."""
    try:
        grid = function(**inputs)
    except Exception as error:
        if not any(sign in f"{getattr(error, 'text', '')} {error}" for sign in NONE_FOUND):
            raise
        return {GRID: "none is found, and one always fits: you count too much room, or leave a byte free"}
    if grid not in grids_of(inputs["workers"]):
        return {GRID: f"{grid}, which is none of {inputs['workers']} workers"}
    sizes = {name: inputs[name] for name in ("m", "k", "n", "replicated")}
    needed, sent = (count(grid=grid, **sizes) * inputs["element_bytes"] for count in (room, traffic))
    free = inputs["free_bytes"]
    fits = FREE if needed <= free else f"the grid {grid} needs {needed:,} bytes, {needed - free:,} more than are free"
    return {GRID: WORKERS, ROOM: fits, SENT: sent}


def layer(
    m: int, k: int, n: int, workers: int, free_bytes: int, replicated: str = "neither", element_bytes: int = 2
) -> Inputs:
    sides = {"m": m, "k": k, "n": n, "workers": workers, "free_bytes": free_bytes}
    return {**sides, "replicated": replicated, "element_bytes": element_bytes}


def at_every_limit() -> list[Inputs]:
    """Products of several shapes on 2 to 16 workers, with just the room that each grid needs, or a byte less."""
    found = []
    shapes = {
        2: ((4, 2, 8), (6, 8, 2)),
        4: ((8, 12, 4), (4, 8, 16), (16, 4, 4), (4, 4, 12), (4, 32, 4)),
        8: ((32, 56, 16), (8, 16, 24), (24, 8, 32), (8, 40, 8), (8, 8, 8)),
        16: ((32, 16, 64), (16, 128, 16), (96, 32, 16)),
    }
    for workers, sides in shapes.items():
        for number, (m, k, n) in enumerate(sides):
            element_bytes = 4 if number % 2 else 2
            for replicated in ("neither", "A", "B"):
                needs = sorted({room(m, k, n, grid, replicated) * element_bytes for grid in grids_of(workers)})
                limits = {*needs, *(need - 1 for need in needs[1:]), needs[-1] * 2}
                if workers > 8 and replicated != "neither":
                    limits = {needs[0], needs[-1] * 2}
                found += [layer(m, k, n, workers, limit, replicated, element_bytes) for limit in sorted(limits)]
    return found


def swapped(**inputs: Any) -> Grid:
    rows, columns, layers = choose_grid(**inputs)
    return columns, rows, layers


as_if = mistaken_rules(best_counted, observe_grid)


def by_room(needed: Callable[[int, int, int], int], *, below: bool = False) -> Callable[..., bool]:
    """Return what judges a grid by another room: from a block of C, what passes through, and layers."""

    def accepts(chosen: Grid, *, workers: int, free_bytes: int, element_bytes: int, **sizes: Any) -> bool:
        sent = {}
        for grid in grids_of(workers):
            block = sizes["m"] * sizes["n"] // (grid[0] * grid[1])
            numbers = needed(block, room(grid=grid, **sizes) - block, grid[2])
            if numbers * element_bytes < free_bytes + (not below):
                sent[grid] = traffic(grid=grid, **sizes)
        return not sent or sent.get(chosen) == min(sent.values())

    return accepts


in_the_room = by_room(lambda block, passing, layers: block + passing)


def taught() -> str:
    own = layer(8192, 14336, 4096, 8, 36_000_000)
    grid, tokens = choose_grid(**own), (8, 1, 1)
    m, k, n = own["m"], own["k"], own["n"]
    sent, hers = (2 * traffic(m, k, n, one, "neither") / 8 / 1e6 for one in (grid, tokens))
    computing, ours, theirs = 2 * m * k * n / 8 / 396e12, sent * 1e6 / 360e9, hers * 1e6 / 360e9
    saved = 1 - (computing + ours) / (computing + theirs)
    needed = 2 * room(m, k, n, grid, "neither") / 1e6
    return (
        f"With 36 MB the choice is {' × '.join(map(str, grid))}: each GPU sends {sent:.1f} MB and needs {needed:.1f} "
        f"MB. The only other grid that fits, {' × '.join(map(str, tokens))}, sends {hers:.1f} MB. If the GPUs send "
        f"first and compute then, that is worth {saved:.0%} of the matmul's time; if they do both at once, nothing."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return products with just the room that a grid needs, or a byte less."""
    found = []
    for _ in range(30):
        workers, element_bytes = chance.choice((2, 4, 8, 16)), chance.choice((2, 4))
        m, k, n = (workers * chance.randint(1, 8) for _ in range(3))
        for replicated in ("neither", "A", "B"):
            needs = sorted({room(m, k, n, grid, replicated) * element_bytes for grid in grids_of(workers)})
            need = chance.choice(needs)
            free_bytes = max(needs[0], need - chance.randrange(2))
            found.append(layer(m, k, n, workers, free_bytes, replicated, element_bytes))
    return found


EXERCISE = Exercise(
    choose_grid,
    number=4,
    asked="a grid (rows, columns, layers) of all workers that fits in the memory and sends least",
    expected=best_counted,
    observe=observe_grid,
    examples=[
        layer(4, 8, 2, 2, 1000),
        layer(4, 8, 2, 2, 1000, "B"),
        layer(2, 4, 8, 2, 1000, "A"),
        layer(4, 4, 4, 4, 32, element_bytes=4),
        layer(4, 4, 4, 4, 1000, element_bytes=4),
        layer(32, 56, 16, 8, 10**6),
        layer(64, 64, 64, 64, 10**6),
        layer(32, 56, 16, 8, 549),  # the question, each side a 256th, with 36 MB
    ],
    inputs=at_every_limit(),
    drawn=drawn,
    level="hard",
    units={SENT: "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_memory",
            "This sends least and does not fit. Look only at grids whose fullest worker fits, and count its block of C "
            "before the sum, m/ρ × n/κ: layers do not make it smaller.",
            {"<= free_bytes": "> 0"},
            accepts=as_if(lambda given: {"free_bytes": math.inf}),
        ),
        Mistake(
            "forgets_what_passes_through",
            "This grid does not fit: panels and parts of the sum that come from others need room as well.",
            {"max(a_panel + b_panel, part)": "0"},
            accepts=by_room(lambda block, passing, layers: block),
        ),
        Mistake(
            "adds_panels_and_part",
            "You count too much room. The panels are gone before C is summed: take the larger of the two, not both.",
            {"max(a_panel + b_panel, part)": "a_panel + b_panel + part"},
        ),
        Mistake(
            "counts_the_larger_panel",
            "A panel of A and one of B pass through together: add the two, and compare their sum with the part of C.",
            {"max(a_panel + b_panel, part)": "max(a_panel, b_panel, part)"},
        ),
        Mistake(
            "leaves_a_byte_free",
            "All of the room may be used: a grid that needs just as much as is free fits.",
            {"<= free_bytes": "< free_bytes"},
            accepts=by_room(lambda block, passing, layers: block + passing, below=True),
        ),
        Mistake(
            "counts_panels_of_lone_rows",
            "You count too much room. A panel of A passes through only where there are several columns, and one of B "
            "only where there are several rows.",
            {" if a_sent else 0": ' if replicated != "A" else 0', " if b_sent else 0": ' if replicated != "B" else 0'},
        ),
        Mistake(
            "cuts_the_block_by_layers",
            "Until the layers have been summed, each of them has a whole block of C, m/ρ × n/κ: λ does not make it "
            "smaller.",
            {"(block + max(": "(block // layers + max("},
            accepts=by_room(lambda block, passing, layers: block // layers + passing),
        ),
        Mistake(
            "counts_numbers_for_bytes",
            "The room is given in bytes, and you count numbers: each has element_bytes.",
            {") * element_bytes <=": ") <="},
            accepts=as_if(lambda given: {"free_bytes": given["free_bytes"] * given["element_bytes"]}),
        ),
        Mistake(
            "sends_what_all_hold",
            "A matrix that is replicated need not be sent: cutting the dimension that it lacks is free.",
            {'0 if replicated == "A" else m * k': "m * k", '0 if replicated == "B" else k * n': "k * n"},
            accepts=lambda chosen, **given: in_the_room(chosen, **{**given, "replicated": "neither"}),
        ),
        Mistake(
            "swaps_rows_and_columns",
            "You exchanged rows and columns of the grid: rows cut m, and columns cut n.",
            swapped,
            accepts=as_if(read=lambda chosen: (chosen[1], chosen[0], chosen[2])),
        ),
        Mistake(
            "one_layer_only",
            "You tried grids of one layer only. Cutting the shared dimension can send less.",
            {"if workers % (rows * columns) == 0": "if rows * columns == workers"},
        ),
        Mistake(
            "always_two_layers",
            "This is right for one input only: weigh the grids of all workers.",
            lambda **_: (1, 1, 2),
        ),
    ],
)
