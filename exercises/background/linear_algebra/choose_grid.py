"""Exercise: the grid of workers that fits in memory and sends least for a layer's product."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.background.gemm import grid_traffic_words

GRID, FITS, SENT = "grid", "fits in the free memory", "sent by all workers"
Grid = tuple[int, int, int]


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
    """Choose the grid of rows × columns × layers that fits and sends least.

    A is m × k and B is k × n; C = A·B ends sharded. At the start each worker
    holds a share of 1/workers of A and of B, or a whole matrix where it is
    replicated; of that one nothing is ever sent. Besides, a worker needs room
    for

    - its block of C, m/r × n/c numbers, until the layers have been summed;
    - what passes through: while it multiplies, a panel of A (m/r rows) if A is
      sent along its row, and one of B (n/c columns) if B is sent along its
      column, both k / (d · max(r, c)) wide, since a panel comes from
      one owner and the finer of the two divisions decides; afterwards, with
      several layers, a part of a block of C, m/(r·d) × n/c. The larger of
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
        (r, c, d), whose product is ``workers``. Of several that fit and send
        least, any.

    >>> choose_grid(m=4, k=8, n=2, workers=2, free_bytes=1000,
    ...             replicated="neither", element_bytes=2)
    (1, 1, 2)
    """
    fitting: list[tuple[int, Grid]] = []
    divisors = [parts for parts in range(1, workers + 1) if workers % parts == 0]
    for r, c in [(r, c) for r in divisors for c in divisors if workers % (r * c) == 0]:
        d = workers // (r * c)
        a_sent = 0 if replicated == "A" else m * k * (c - 1)
        b_sent = 0 if replicated == "B" else k * n * (r - 1)
        wide = d * max(r, c)
        a_panel = m * k // (r * wide) if a_sent else 0
        b_panel = k * n // (c * wide) if b_sent else 0
        block = m * n // (r * c)
        part = block // d if d > 1 else 0
        if (block + max(a_panel + b_panel, part)) * element_bytes <= free_bytes:
            fitting.append((a_sent + b_sent + m * n * (d - 1), (r, c, d)))
    return min(fitting)[1]


def grids_of(workers: int) -> list[Grid]:
    divisors = [number for number in range(1, workers + 1) if workers % number == 0]
    return [(r, c, workers // (r * c)) for r in divisors for c in divisors if workers // r % c == 0]


@lru_cache(maxsize=4096)
def measured(m: int, k: int, n: int, grid: Grid, replicated: Any, element_bytes: int) -> tuple[int, int]:
    """Run the workers of a grid; return the room that one needed besides its A and B, and what all sent, in bytes."""
    import numpy as np

    from snippets.background.block_products import grid_product

    kind = {2: np.float16, 4: np.float32}[element_bytes]
    run = grid_product(np.zeros((m, k), kind), np.zeros((k, n), kind), grid=grid, replicated=replicated)
    needed = [peak - start for peak, start in zip(run.account.peak_bytes, run.account.start_bytes, strict=True)]
    return max(needed), sum(run.account.sent_bytes)


def room(m: int, k: int, n: int, grid: Grid, replicated: str) -> int:
    """Count the numbers that a worker of a grid needs room for besides its A and B."""
    r, c, d = grid
    of_a, of_b = (c > 1) * (replicated != "A") * m * c, (r > 1) * (replicated != "B") * n * r
    panels = (of_a + of_b) * k // (r * c * d * max(r, c))
    return m * n // (r * c) + max(panels, (d > 1) * m * n // (r * c * d))


def best_counted(
    *, m: int, k: int, n: int, workers: int, free_bytes: int, replicated: str, element_bytes: int
) -> Observation:
    """Try every grid by closed forms, which ``tests/background/test_choose_grid.py`` holds to simulated runs."""
    sent = [
        traffic(m, k, n, grid, replicated) * element_bytes
        for grid in grids_of(workers)
        if room(m, k, n, grid, replicated) * element_bytes <= free_bytes
    ]
    return {GRID: "of all workers", FITS: True, SENT: min(sent)}


def traffic(m: int, k: int, n: int, grid: Grid, replicated: str) -> int:
    """Count the numbers that all workers of a grid send."""
    r, c, _ = grid
    spared = {"neither": 0, "A": m * k * (c - 1), "B": k * n * (r - 1)}[replicated]
    return grid_traffic_words(m=m, k=k, n=n, grid=grid) - spared


def observe_grid(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Run the grid that was chosen."""
    grid = function(**inputs)
    if grid not in grids_of(inputs["workers"]):
        return {GRID: f"{grid}, which is none of {inputs['workers']} workers"}
    names = ("m", "k", "n", "replicated", "element_bytes")
    needed, sent = measured(grid=grid, **{name: inputs[name] for name in names})
    return {GRID: "of all workers", FITS: needed <= inputs["free_bytes"], SENT: sent}


def layer(
    m: int, k: int, n: int, workers: int, free_bytes: int, replicated: str = "neither", element_bytes: int = 2
) -> Inputs:
    sides = {"m": m, "k": k, "n": n, "workers": workers, "free_bytes": free_bytes}
    return {**sides, "replicated": replicated, "element_bytes": element_bytes}


def at_every_limit() -> list[Inputs]:
    """Products of several shapes on 2 to 8 workers, with just the room that each grid needs, or a byte less."""
    found = []
    shapes = {
        2: ((4, 2, 8), (6, 8, 2)),
        4: ((8, 12, 4), (4, 8, 16), (16, 4, 4), (4, 4, 12)),
        8: ((32, 56, 16), (8, 16, 24), (24, 8, 32), (8, 40, 8)),
    }
    for workers, sides in shapes.items():
        for number, (m, k, n) in enumerate(sides):
            element_bytes = 4 if number % 2 else 2
            for replicated in ("neither", "A", "B"):
                needs = sorted({room(m, k, n, grid, replicated) * element_bytes for grid in grids_of(workers)})
                limits = {*needs, *(need - 1 for need in needs[1:]), needs[-1] * 2}
                found += [layer(m, k, n, workers, limit, replicated, element_bytes) for limit in sorted(limits)]
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
        layer(32, 56, 16, 8, 549),  # the question, each side a 256th, with 36 MB
    ],
    inputs=at_every_limit(),
    level="hard",
    units={SENT: "bytes"},
    mistakes=[
        Mistake(
            "forgets_the_memory",
            "This sends least and does not fit. Look only at grids whose fullest worker fits, and count its block of C "
            "before the sum, m/r × n/c: layers do not make it smaller.",
            {"<= free_bytes": "> 0"},
        ),
        Mistake(
            "forgets_what_passes_through",
            "This grid does not fit: panels and parts of the sum that come from others need room as well.",
            {"max(a_panel + b_panel, part)": "0"},
        ),
        Mistake(
            "sends_what_all_hold",
            "A matrix that is replicated need not be sent: cutting the dimension that it lacks is free.",
            {'0 if replicated == "A" else m * k': "m * k", '0 if replicated == "B" else k * n': "k * n"},
        ),
        Mistake(
            "swaps_rows_and_columns",
            "You exchanged rows and columns of the grid: rows cut m, and columns cut n.",
            {", (r, c, d)))": ", (c, r, d)))"},
        ),
        Mistake(
            "gathers_the_result",
            "C may stay sharded: its sum is a reduce-scatter, and you weighed it as an all-reduce.",
            {"+ m * n * (d - 1)": "+ 2 * m * n * (d - 1)"},
        ),
        Mistake(
            "forgets_the_sum",
            "Layers are not free: their partial products of C must be summed.",
            {" + m * n * (d - 1)": ""},
        ),
        Mistake(
            "one_layer_only",
            "You tried grids of one layer only. Cutting the shared dimension can send less.",
            {"if workers % (r * c) == 0": "if r * c == workers"},
        ),
        Mistake(
            "always_two_layers",
            "This is right for one input only: weigh the grids of all workers.",
            lambda **_: (1, 1, 2),
        ),
    ],
)
