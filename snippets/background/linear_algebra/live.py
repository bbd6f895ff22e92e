"""Drawings: a matrix product on a grid of workers: who starts with which block, who needs what, and who sends how much.

A worker (i, j, l) of ρ × κ × λ starts with block (i, j) of the l-th part of the shared dimension of A and of B and ends
with the l-th part of the rows of block (i, j) of C, as ``snippets.background.linear_algebra.formulas.grid_split``
counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from snippets.background.linear_algebra.formulas import best_gemm_grid, block_ranges, grid_split, grid_traffic_words
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number, in_units
from snippets.palette import RANKS, rank

MOST_WORKERS = 64
ELEMENT_BYTES = 2  # bfloat16

_WIDTH, _HEIGHT, _TOP, _GAP_ACROSS, _GAP_DOWN = 330.0, 318.0, 16.0, 10.0, 17.0
_LAST = 512  # workers at the right end of the curves
_QUESTION = {"m": 8192, "k": 14336, "n": 4096}  # the last product of Llama 3 8B's MLP, for a sequence
Grid = tuple[int, int, int]
Box = tuple[float, float, float, float]


def _places(grid: Grid) -> Iterator[Grid]:
    """Yield the place (i, j, l) of each worker, in the order of their numbers."""
    r, c, d = grid
    return ((i, j, layer) for layer in range(d) for i in range(r) for j in range(c))


def _part(whole: range, parts: int, number: int) -> range:
    part = block_ranges(len(whole), parts)[number]
    return range(whole.start + part.start, whole.start + part.stop)


def _owned(m: int, k: int, n: int, grid: Grid, place: Grid) -> dict[str, tuple[range, range]]:
    """Return the rows and columns of A, B and C that a worker starts or ends with."""
    (r, c, d), (i, j, layer) = grid, place
    rows, columns, shared = (_part(range(m), r, i), _part(range(n), c, j), _part(range(k), d, layer))
    return {
        "A": (rows, _part(shared, c, j)),
        "B": (_part(shared, r, i), columns),
        "C": (_part(rows, d, layer), columns),
    }


def _needed(m: int, k: int, n: int, grid: Grid, place: Grid) -> dict[str, tuple[range, range]]:
    """Return the rows and columns of A and B that a worker multiplies, and of the C to which it contributes."""
    (r, c, d), (i, j, layer) = grid, place
    rows, columns, shared = (_part(range(m), r, i), _part(range(n), c, j), _part(range(k), d, layer))
    return {"A": (rows, shared), "B": (shared, columns), "C": (rows, columns)}


class _Corner:
    """Where A, B and C stand when B is above C and A to the left of it, so that rows and columns line up."""

    def __init__(self, m: int, k: int, n: int) -> None:
        high = _HEIGHT - _TOP - _GAP_DOWN - 26
        self.scale = min((_WIDTH - 8 - _GAP_ACROSS) / (k + n), high / (k + m))
        c = 4 + k * self.scale + _GAP_ACROSS, _TOP + k * self.scale + _GAP_DOWN
        self.origins = {"A": (4.0, c[1]), "B": (c[0], _TOP), "C": c}

    def box(self, matrix: str, block: tuple[range, range]) -> Box:
        (x, y), (rows, columns) = self.origins[matrix], block
        s = self.scale
        return x + columns.start * s, y + rows.start * s, len(columns) * s, len(rows) * s


def _layout(m: int, k: int, n: int, grid: Grid, worker: int) -> Panel:
    """Draw the three matrices in blocks of all workers, and what one of them needs."""
    corner, panel, places = _Corner(m, k, n), Panel(_WIDTH, _HEIGHT), list(_places(grid))
    owned = [[corner.box(matrix, block) for matrix, block in _owned(m, k, n, grid, place).items()] for place in places]
    for colour in range(min(RANKS, len(places))):
        others = [box for p in range(colour, len(places), RANKS) if p != worker for box in owned[p]]
        panel.rectangles(others, colour=rank(colour), strength=0.14)
    panel.rectangles(owned[worker], colour=rank(worker), strength=0.5)
    for matrix, block in _needed(m, k, n, grid, places[worker]).items():
        panel.rectangle(*corner.box(matrix, block), colour="ink", strength=0, dashed=True)
        x, y = corner.origins[matrix]
        panel.text(x, y - 4, matrix, bold=True)
    _write_numbers(panel, owned)
    panel.text(4, _HEIGHT - 8, f"filled: worker {worker}; dashed: what it multiplies", colour="muted", size=12)
    return panel


def _write_numbers(panel: Panel, owned: list[list[Box]]) -> None:
    """Write the worker's number into each block that has room for it."""
    lines: dict[float, list[tuple[float, str]]] = {}
    for worker, boxes in enumerate(owned):
        for x, y, width, height in boxes:
            if width >= 6 + 8 * len(str(worker)) and height >= 14:
                lines.setdefault(round(y + height / 2, 1), []).append((x + width / 2, str(worker)))
    for y, signs in lines.items():
        panel.signs([x for x, _ in signs], y, [sign for _, sign in signs], size=12)


def _sent_each(m: int, k: int, n: int, grid: Grid) -> float:
    """Return the bytes that a worker of a grid sends on average."""
    return grid_traffic_words(m=m, k=k, n=n, grid=grid) * ELEMENT_BYTES / math.prod(grid)


def _traffic(m: int, k: int, n: int, grid: Grid) -> Panel:
    """Draw the bytes that a worker sends against the number of workers: single cuts, the best grid, and this one."""
    counts = [2**power for power in range(1, _LAST.bit_length())]
    curves = {
        "cut m": [(count, _sent_each(m, k, n, (count, 1, 1))) for count in counts],
        "cut n": [(count, _sent_each(m, k, n, (1, count, 1))) for count in counts],
        "cut k": [(count, _sent_each(m, k, n, (1, 1, count))) for count in counts],
        "best": [(count, _sent_each(m, k, n, best_gemm_grid(m=m, k=k, n=n, ranks=count))) for count in counts],
    }
    here = math.prod(grid), _sent_each(m, k, n, grid)
    heights = [height for curve in curves.values() for _, height in curve] + [here[1]] * (here[1] > 0)
    low, high = min(heights) / 1.3, max(heights) * 1.3
    across = Axis(2, _LAST, "log", "workers R", ticks=(2, 8, 32, 128, 512))
    up = Axis(low, high, "log", ticks=_round_ticks(low, high), unit="B")
    plot = Plot(across, up, title="Sent by a worker", width_px=_WIDTH - 28, height_px=_HEIGHT)
    plot.panel.width = _WIDTH  # room for the curves' names
    for name, curve in curves.items():
        best = name == "best"
        plot.curve(curve, colour="accent" if best else "muted", width=2 if best else 1.5)
    _name_ends(plot, {name: curve[-1][1] for name, curve in curves.items()})
    if here[1] > 0:
        plot.dots([here], colour="ink", radius=5)
    return plot.panel


def _round_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return 1, 2 and 5 times powers of ten between two ends, or the powers alone where that is many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 5), (1,)):
        ticks = tuple(factor * 10.0**power for power in powers for factor in factors)
        inside = tuple(tick for tick in ticks if low <= tick <= high)
        if len(inside) <= 5:
            break
    return inside


def _name_ends(plot: Plot, ends: dict[str, float]) -> None:
    """Write each curve's name right of its end, as high as it is or just below the one above."""
    last = 0.0
    for name, height in sorted(ends.items(), key=lambda end: (-end[1], end[0])):
        last = max(plot.y(height), last + 14)
        colour = "accent" if name == "best" else "muted"
        plot.panel.text(plot.x(_LAST) + 4, last, name, colour=colour, size=12, middle=True)


def _written(grid: Iterable[int]) -> str:
    return " × ".join(str(parts) for parts in grid)


@live_figure(
    title="Cut the product",
    caption="Filled: what worker $r$ starts with of $A$ and $B$ and ends with of $C$; dashed: what it multiplies, and "
    "the block of $C$ to which it adds. Right: what a worker sends, against their number, a power of two. With a "
    "single cut it rises towards the size of the matrix that moves, so more workers never lower it; with the best "
    "grid it falls in the end. Change the sizes: which grid is best now?",
    opens="The question, cut m",
    knobs=[
        Number("rows", "Rows ρ", 2, 1, 8, step=2, scale="log"),
        Number("columns", "Columns κ", 2, 1, 8, step=2, scale="log"),
        Number("layers", "Layers λ", 1, 1, 8, step=2, scale="log"),
        Number("worker", "Worker r", 0, 0, MOST_WORKERS - 1),
        Number("m", "Tokens m", 1024, 1024, 16384, step=1024),
        Number("k", "Shared features k", 1024, 1024, 16384, step=1024),
        Number("n", "Output features n", 1024, 1024, 16384, step=1024),
    ],
    named=[
        Named(
            "The question, cut m",
            "Every worker needs all of B and sends 103 MB, while the best grid sends 39.8 MB.",
            {"rows": 8, "columns": 1, "layers": 1, **_QUESTION},
        ),
        Named(
            "The question, cut k",
            "No worker needs another's part of A or B; each adds to all of C and sends 58.7 MB.",
            {"rows": 1, "columns": 1, "layers": 8, **_QUESTION},
        ),
        Named(
            "The question, best grid",
            "Two rows of four layers: half of C is summed by each four, and 39.8 MB are sent.",
            {"rows": 2, "columns": 1, "layers": 4, **_QUESTION},
        ),
        Named(
            "The question on 64",
            "A worker sends less than it did among 8: here 16.5 MB.",
            {"rows": 4, "columns": 2, "layers": 8, **_QUESTION},
        ),
    ],
)
def block_product(*, rows: int, columns: int, layers: int, worker: int, m: int, k: int, n: int) -> Picture:
    """Draw a product of bfloat16 matrices on a grid of at most 64 workers; nothing is held twice before or after."""
    r, most_c = rows, MOST_WORKERS // rows
    c = min(columns, most_c)
    most_d = MOST_WORKERS // (r * c)
    grid = r, c, min(layers, most_d)
    workers = math.prod(grid)
    p = min(worker, workers - 1)
    share = grid_split(m=m, k=k, n=n, grid=grid, rank=list(_places(grid))[p], element_bytes=ELEMENT_BYTES)
    rows_of, columns_of = _needed(m, k, n, grid, list(_places(grid))[p])["C"]
    shared = _needed(m, k, n, grid, list(_places(grid))[p])["A"][1]
    multiplied = (len(rows_of) + len(columns_of)) * len(shared) * ELEMENT_BYTES
    best = best_gemm_grid(m=m, k=k, n=n, ranks=workers)
    sent, least = in_units(share.sent_bytes, "B"), in_units(_sent_each(m, k, n, best), "B")
    compared = f"The best grid of {workers}, {_written(best)}, sends {least} each."
    if _sent_each(m, k, n, best) == _sent_each(m, k, n, grid):
        compared = f"No grid of {workers} sends less."
    return Picture(
        [_layout(m, k, n, grid, p), _traffic(m, k, n, grid)],
        f"Grid {_written(grid)}: worker {p} of {workers} starts with {in_units(share.input_bytes, 'B')} of A and B, "
        f"multiplies {in_units(multiplied, 'B')}, and sends {sent}. {compared}",
        f"A left of C and B above it, cut into the blocks of {workers} workers; those of worker {p} are filled, what "
        "it multiplies is dashed. Beside it, bytes sent by a worker against 2 to 512 workers: three single cuts, "
        f"which rise towards an end, the best grid, which ends lowest, and a dot at {workers} workers and "
        f"{in_units(_sent_each(m, k, n, grid), 'B')}.",
        limits={"columns": min(8, most_c), "layers": min(8, most_d), "worker": workers - 1},
    )
