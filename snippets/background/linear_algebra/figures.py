"""Figures: a matrix product that several workers share, cut along a dimension or on a grid, from simulated runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snippets.arrays import number_array
from snippets.background.linear_algebra.simulators import (
    Array,
    Block,
    BlockProduct,
    column_split_product,
    grid_product,
    k_split_product,
    row_split_product,
)
from snippets.domain import positive_integer, positive_number
from snippets.drawing import Panel
from snippets.palette import RANKS, rank
from snippets.simulation.algorithms import build_collective
from snippets.simulation.holdings import holdings

_MOST_PX = 10_000
_EDGE = 16  # room around a picture for the names of matrices, in pixels
_SPLITS = {"m": row_split_product, "n": column_split_product, "k": k_split_product}
_WORKERS = 4


def _name(matrix: str, worker: int) -> str:
    """The name of a worker's block, such as A₁."""
    return matrix + str(worker).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


class _Corner:
    """The places of A, B and C when B stands above C and A to the left of it, so that rows and columns line up."""

    def __init__(
        self, shape: tuple[int, int, int], *, width_px: float, left: float = _EDGE, top: float = _EDGE
    ) -> None:
        m, k, n = shape
        self.cell = (width_px - 2 * _EDGE) / (k + n + 1)
        self.c = left + (k + 1) * self.cell, top + (k + 1) * self.cell
        self.origins = {"A": (left, self.c[1]), "B": (self.c[0], top), "C": self.c}
        self.bottom = self.c[1] + m * self.cell

    def box(self, matrix: str, rows: range, columns: range) -> tuple[float, float, float, float]:
        """Where a block stands: x, y, width, height."""
        x, y = self.origins[matrix]
        cell = self.cell
        return x + columns.start * cell, y + rows.start * cell, len(columns) * cell, len(rows) * cell

    def draw(self, panel: Panel, block: Block, *, colour: str, label: str = "", strength: float = 0.22) -> None:
        """Draw a block at its place."""
        panel.rectangle(
            *self.box(block.matrix, block.rows, block.columns), colour=colour, label=label, strength=strength
        )

    def write(self, panel: Panel, block: Block) -> None:
        """Write a block's numbers into its cells."""
        x, y = self.origins[block.matrix]
        for i, row in zip(block.rows, block.array, strict=True):
            middles = [x + (j + 0.5) * self.cell for j in block.columns]
            panel.signs(middles, y + (i + 0.5) * self.cell, [str(value) for value in row])


def k_split_panels(run: BlockProduct, *, width_px: float = 330) -> tuple[Panel, Panel]:
    """Draw a product cut along k: the strips of A and B with their numbers, and the partial products with their sum.

    The top left entry is framed: the row of A and the column of B that it is made of, its number in each partial
    product, and their sum.

    Args:
        run: what ``k_split_product`` returned for a small matrix of whole numbers.
        width_px: width of each of the two panels.

    Returns:
        The strips, and the partial products.

    Raises:
        ValueError: ``run`` is no product in blocks, or the width is not above 32 and at most 10⁴.
    """
    width_px = _checked(run, width_px)
    m, k, n = run.shape
    corner = _Corner(run.shape, width_px=width_px)
    strips = Panel(width_px, corner.bottom + _EDGE)
    for worker, blocks in enumerate(run.inputs):
        for block in blocks:
            corner.draw(strips, block, colour=rank(worker))
            corner.write(strips, block)
    corner.draw(strips, Block("C", range(m), range(n), run.assemble()), colour="muted", label="C", strength=0.05)
    for matrix in "AB":
        x, y = corner.origins[matrix]
        strips.text(x, y - 5, matrix, bold=True)
    for matrix, rows, columns in (("A", 1, k), ("B", k, 1), ("C", 1, 1)):
        _frame(strips, *corner.box(matrix, range(min(rows, m if matrix != "B" else k)), range(columns)))
    return strips, _partials_panel(run, width_px=width_px)


def _frame(panel: Panel, x: float, y: float, width: float, height: float) -> None:
    """Draw a frame around what is looked at."""
    panel.rectangle(x + 1.5, y + 1.5, width - 3, height - 3, colour="ink", strength=0)


def _checked(run: BlockProduct, width_px: float) -> float:
    """Return the width, or raise ``ValueError`` where it or the run is none."""
    if not isinstance(run, BlockProduct):
        raise ValueError(f"run must be a BlockProduct, got {run!r}")
    _check_width(width_px)
    return width_px


def _check_width(width_px: float) -> None:
    if not _EDGE * 2 < positive_number("width_px", width_px) <= _MOST_PX:
        raise ValueError(f"width_px must be above {_EDGE * 2} and at most {_MOST_PX}, got {width_px!r}")


def _partials_panel(run: BlockProduct, *, width_px: float) -> Panel:
    """Draw the partial products of a run one under the other, two in a row, and their sum."""
    m, _, n = run.shape
    parts = [blocks[0].array @ blocks[1].array for blocks in run.inputs]
    cell = (width_px - 2 * _EDGE) / (3 * n + 2)
    lines = (len(parts) + 1) // 2
    panel = Panel(width_px, _EDGE + lines * (m + 1) * cell + _EDGE)
    for worker, part in enumerate(parts):
        x, y = _EDGE + worker % 2 * (n + 1) * cell, _EDGE + worker // 2 * (m + 1) * cell
        _numbers(panel, part, x, y, cell, rank(worker), _name("C", worker))
        if worker + 1 < len(parts):
            panel.text(x + (n + 0.5) * cell, y + m * cell / 2, "+", anchor="middle", bold=True, middle=True)
    x, y = _EDGE + 2 * (n + 1) * cell, _EDGE + (lines - 1) * (m + 1) * cell
    panel.text(x - cell / 2, y + m * cell / 2, "=", anchor="middle", bold=True, middle=True)
    _numbers(panel, run.assemble(), x, y, cell, "muted", "C")
    return panel


def _numbers(panel: Panel, matrix: Array, x: float, y: float, cell: float, colour: str, name: str) -> None:
    """Draw a matrix of numbers with its name above, its first number framed."""
    rows, columns = matrix.shape
    panel.rectangle(x, y, columns * cell, rows * cell, colour=colour)
    panel.text(x, y - 4, name, bold=True)
    for i in range(rows):
        middles = [x + (j + 0.5) * cell for j in range(columns)]
        panel.signs(middles, y + (i + 0.5) * cell, [str(number) for number in matrix[i]])
    _frame(panel, x, y, cell, cell)


def _split(
    panel: Panel, run: BlockProduct, *, names: Sequence[str], width_px: float, left: float, top: float
) -> _Corner:
    """Draw the blocks of a cut product: what each worker holds and makes, or a whole matrix that all of them hold."""
    corner = _Corner(run.shape, width_px=width_px, left=left, top=top)
    m, k, n = run.shape
    sizes = {"A": (m, k), "B": (k, n), "C": (m, n)}
    made = [Block("C", a.rows, b.columns, a.array @ b.array) for a, b in run.inputs]
    partial = len({(block.rows, block.columns) for block in made}) == 1
    for place, matrix in enumerate("AB"):
        held = [pair[place] for pair in run.inputs]
        if held[0].array.shape == sizes[matrix]:
            corner.draw(panel, held[0], colour="muted", label="all", strength=0.12)
        else:
            for worker, block in enumerate(held):
                corner.draw(panel, block, colour=rank(worker), label=str(worker))
    for worker, block in enumerate(made):
        x, y, width, height = corner.box("C", block.rows, block.columns)
        back = 4 * (len(made) - 1 - worker) if partial else 0  # sheets that lie one behind the other
        if partial:
            panel.rectangle(x + back, y + back, width, height, colour="line", strength=1)
        panel.rectangle(
            x + back, y + back, width, height, colour=rank(worker), label=str(worker) if not partial else ""
        )
    if partial:
        x, y, width, height = corner.box("C", made[0].rows, made[0].columns)
        panel.text(x + width / 2, y + height / 2, "sum", anchor="middle", middle=True)
    for matrix, name in zip("ABC", names, strict=True):
        x, y = corner.origins[matrix]
        panel.text(x, y - 4, name, bold=True, size=12)
    return corner


def split_panels(*, width_px: float = 210) -> tuple[Panel, Panel, Panel]:
    """Draw the three ways to cut one dimension of a product of 4 × 4 matrices among four workers.

    Args:
        width_px: width of each panel.

    Returns:
        The cut of the rows of A, of the columns of B, and of the dimension that they share: the blocks with their
        worker's number and colour, ``all`` where every worker holds the whole, and what each cut makes of C.

    Raises:
        ValueError: the width is not above 32 and at most 10⁴.
    """
    _check_width(width_px)
    said = {
        "m": "rows of C, finished",
        "n": "columns of C, finished",
        "k": "4 sheets of C, to be added",
    }
    panels = []
    for cut, simulate in _SPLITS.items():
        panel = Panel(width_px, width_px + 58)
        panel.text(_EDGE, 16, f"Cut {cut}", bold=True)
        run = simulate(np.ones((4, 4), int), np.ones((4, 4), int), ranks=_WORKERS)
        corner = _split(panel, run, names="ABC", width_px=width_px - 8, left=_EDGE, top=42)
        panel.text(_EDGE, corner.bottom + 34, said[cut], colour="muted")
        panels.append(panel)
    return panels[0], panels[1], panels[2]


def step_panels(*, width_px: float = 210) -> tuple[Panel, Panel, Panel]:
    """Draw the three products of a layer's training step under each of the three cuts, four workers.

    Args:
        width_px: width of the place of each product.

    Returns:
        A tall panel for each dimension that is cut (tokens m, output features n, input features k), with the forward
        product, the gradient of the input and that of the weights from top to bottom, in the blocks of four workers.

    Raises:
        ValueError: the width is not above 32 and at most 10⁴.
    """
    _check_width(width_px)
    products = {("X", "W", "Y"): "mkn", ("∂Y", "Wᵀ", "∂X"): "mnk", ("Xᵀ", "∂Y", "∂W"): "kmn"}
    panels = []
    for cut, what in (("m", "tokens"), ("n", "output features"), ("k", "input features")):
        high = width_px + 20
        panel = Panel(width_px, 3 * high + 30)
        panel.text(_EDGE, 16, f"Cut {cut}, {what}", bold=True)
        for place, (names, letters) in enumerate(products.items()):
            simulate = (row_split_product, k_split_product, column_split_product)[letters.index(cut)]
            run = simulate(np.ones((4, 4), int), np.ones((4, 4), int), ranks=_WORKERS)
            corner = _split(panel, run, names=names, width_px=0.9 * width_px, left=_EDGE, top=42 + place * high)
            pays = simulate is k_split_product
            note = f"{names[2]}: sum of {_WORKERS} sheets" if pays else f"{names[2]} is finished"
            panel.text(_EDGE, corner.bottom + 30, note, colour="ink" if pays else "muted", bold=pays)
        panels.append(panel)
    return panels[0], panels[1], panels[2]


def product_layers_panel(*, width_px: float = 330) -> Panel:
    """Draw the product of a 4 × 8 and an 8 × 4 matrix on two rows and four layers of workers.

    Args:
        width_px: width of the panel.

    Returns:
        What each worker of the simulated grid starts with of A and B, each layer's band of B framed, and the two halves
        of C with the workers whose sheets are summed to it.

    Raises:
        ValueError: the width is not above 32 and at most 10⁴.
    """
    _check_width(width_px)
    rows, columns, layers = grid = 2, 1, 4
    run = grid_product(np.ones((4, 8), int), np.ones((8, 4), int), grid=grid)
    corner = _Corner(run.shape, width_px=width_px - _EDGE)
    panel = Panel(width_px, corner.bottom + _EDGE)
    for worker, blocks in enumerate(run.inputs):
        for block in blocks:
            corner.draw(panel, block, colour=rank(worker), label=str(worker))
    for layer in range(layers):
        _frame(panel, *corner.box("B", range(2 * layer, 2 * layer + 2), range(4)))
    for row in range(rows):
        summed = [(layer * rows + row) * columns for layer in range(layers)]
        x, y, width, height = corner.box("C", run.inputs[row][0].rows, range(4))
        for back, worker in reversed(list(enumerate(summed))):
            panel.rectangle(x + 5 * back, y, width, height, colour="line", strength=1)
            panel.rectangle(x + 5 * back, y, width, height, colour=rank(worker))
        panel.text(x + width / 2, y + height / 2, "+".join(map(str, summed)), anchor="middle", middle=True)
    for matrix in "ABC":
        x, y = corner.origins[matrix]
        panel.text(x, y - 4, matrix, bold=True)
    return panel


def ring_panels(*, workers: int = 4, cell_px: tuple[float, float] = (76, 28)) -> tuple[Panel, ...]:
    """Draw a ring reduce-scatter: whose numbers each worker's blocks hold at the start and after each step.

    Args:
        workers: how many there are, from 2 to 8.
        cell_px: width and height of a cell.

    Returns:
        One picture for each moment. Rows are workers, columns blocks in the colour of the worker that completes them;
        a cell lists the workers whose numbers it sums, and an arrow marks what has just arrived.

    Raises:
        ValueError: ``workers`` is no integer from 2 to 8.
    """
    if positive_integer("workers", workers) not in range(2, RANKS + 1):
        raise ValueError(f"workers must be an integer from 2 to {RANKS}, got {workers!r}")
    schedule = build_collective("reduce_scatter", "ring", ranks=workers, length=workers)
    (width, height), left, top = cell_px, 22, 44
    panels = []
    for moment, held in enumerate(holdings(schedule)):
        panel = Panel(left + workers * width + 6, top + workers * height + 6)
        panel.text(left, 14, f"after step {moment}" if moment else "start", bold=True)
        arrived = schedule.rounds[moment - 1] if moment else ()
        places = {(send.destination, block) for send in arrived for ends in send.ranges for block in range(*ends)}
        for worker, blocks in enumerate(held):
            y = top + worker * height
            panel.text(left - 6, y + height / 2, str(worker), anchor="end", colour="muted", middle=True)
            for block, terms in sorted(blocks.items()):
                strength = 0.42 if len(terms) == workers else 0.05 + 0.06 * len(terms)
                label = "+".join(str(term) for term in sorted(terms))
                x = left + block * width
                panel.rectangle(x, y, width, height, colour=rank(block), label=label, strength=strength)
        for worker, block in sorted(places):
            x, y = left + block * width + 5, top + worker * height
            panel.arrow(x, y - height / 2, x, y + 0.28 * height, colour="communication")
        panels.append(panel)
    return tuple(panels)


def summa_panels(a: Array, b: Array, *, box_px: tuple[float, float] = (80, 62)) -> tuple[Panel, Panel, Panel]:
    """Draw SUMMA on 2 × 2 workers with a number of each matrix: the start, and the two panels with their messages.

    Args:
        a: 2 × 2 whole numbers, of which worker (i, j) holds the one in row i and column j.
        b: 2 × 2 whole numbers, dealt likewise.
        box_px: width and height of the box of a worker.

    Returns:
        Three pictures of the four workers; arrows are the messages of the simulated run, with the number that each
        carries, and every box says what its worker multiplies and what it has of C.

    Raises:
        ValueError: a or b is no 2 × 2 matrix of numbers.
    """
    a, b = number_array("a", a, dimensions=2), number_array("b", b, dimensions=2)
    for name, matrix in (("a", a), ("b", b)):
        if matrix.shape != (2, 2):
            raise ValueError(f"{name} must be a 2 × 2 matrix, got {matrix.shape}")
    run = grid_product(a, b, grid=(2, 2, 1))
    (width, height), gap, left, top = box_px, 34, 6, 28
    places = [(i, j) for i in range(2) for j in range(2)]
    corners = [(left + j * (width + gap), top + i * (height + gap)) for i, j in places]
    so_far = np.zeros_like(a @ b)
    panels = []
    for moment, title in enumerate(("start", "panel 0", "panel 1")):
        panel = Panel(left * 2 + 2 * width + gap, top + 2 * height + gap + 6)
        panel.text(left, 16, title, bold=True)
        if moment:
            so_far = so_far + np.outer(a[:, moment - 1], b[moment - 1])
        for worker, ((i, j), (x, y)) in enumerate(zip(places, corners, strict=True)):
            panel.rectangle(x, y, width, height, colour=rank(worker))
            lines = [f"A: {a[i, j]}", f"B: {b[i, j]}"]
            if moment:
                lines = [f"{a[i, moment - 1]} · {b[moment - 1, j]}", f"C: {so_far[i, j]}"]
            for line, text in enumerate(lines):
                middle = y + height * (0.3 + 0.4 * line)
                panel.text(x + width / 2, middle, text, anchor="middle", middle=True, bold=bool(moment and line))
        for message in run.account.messages:
            if message.step == moment:
                _carry(panel, corners, box_px, (message.source, message.destination), (a, b))
        panels.append(panel)
    return panels[0], panels[1], panels[2]


def _carry(
    panel: Panel,
    corners: Sequence[tuple[float, float]],
    box_px: tuple[float, float],
    ends: tuple[int, int],
    matrices: tuple[Array, Array],
) -> None:
    """Draw a message between two of 2 × 2 workers: along a row it carries the source's number of A, else of B."""
    (width, height), (source, destination) = box_px, ends
    (x, y), (to_x, to_y) = corners[source], corners[destination]
    along_row = source // 2 == destination // 2
    number = str(matrices[0 if along_row else 1][divmod(source, 2)])
    if along_row:
        start, end = (x + width + 4, to_x - 4) if to_x > x else (x - 4, to_x + width + 4)
        panel.arrow(start, y + height / 2, end, y + height / 2, colour="communication")
        panel.text((start + end) / 2, y + height / 2 - 8, number, anchor="middle", colour="communication")
    else:
        start, end = (y + height + 4, to_y - 4) if to_y > y else (y - 4, to_y + height + 4)
        panel.arrow(x + width / 2, start, x + width / 2, end, colour="communication")
        panel.text(x + width / 2 + 8, (start + end) / 2, number, colour="communication", middle=True)
