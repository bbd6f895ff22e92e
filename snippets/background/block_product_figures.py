"""Figures: a matrix product cut along its shared dimension, in coloured blocks, drawn from a simulated run."""

from __future__ import annotations

from snippets.background.block_products import Array, Block, BlockProduct
from snippets.domain import positive_number
from snippets.drawing import Panel
from snippets.palette import rank

_MOST_PX = 10_000
_EDGE = 16  # room around a picture for the names of matrices, in pixels


def _name(matrix: str, worker: int) -> str:
    """The name of a worker's block, such as A₁."""
    return matrix + str(worker).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


class _Corner:
    """The places of A, B and C when B stands above C and A to the left of it, so that rows and columns line up."""

    def __init__(self, shape: tuple[int, int, int], *, width_px: float) -> None:
        m, k, n = shape
        self.cell = (width_px - 2 * _EDGE) / (k + n + 1)
        self.left, self.top = _EDGE, _EDGE
        self.c = self.left + (k + 1) * self.cell, self.top + (k + 1) * self.cell
        self.origins = {"A": (self.left, self.c[1]), "B": (self.c[0], self.top), "C": self.c}
        self.bottom = self.c[1] + m * self.cell

    def draw(self, panel: Panel, block: Block, *, colour: str, label: str = "", strength: float = 0.22) -> None:
        """Draw a block at its place."""
        x, y = self.origins[block.matrix]
        width, height = len(block.columns) * self.cell, len(block.rows) * self.cell
        x, y = x + block.columns.start * self.cell, y + block.rows.start * self.cell
        panel.rectangle(x, y, width, height, colour=colour, label=label, strength=strength)

    def write(self, panel: Panel, block: Block) -> None:
        """Write a block's numbers into its cells."""
        x, y = self.origins[block.matrix]
        for i, row in zip(block.rows, block.array, strict=True):
            middles = [x + (j + 0.5) * self.cell for j in block.columns]
            panel.signs(middles, y + (i + 0.5) * self.cell, [str(value) for value in row])


def k_split_panels(run: BlockProduct, *, width_px: float = 330) -> tuple[Panel, Panel]:
    """Draw a product cut along k: the strips of A and B with their numbers, and the partial products with their sum.

    Args:
        run: what ``k_split_product`` returned for a small matrix of whole numbers.
        width_px: width of each of the two panels.

    Returns:
        The strips, and the partial products.

    Raises:
        ValueError: ``run`` is no product in blocks, or the width is not above 32 and at most 10⁴.
    """
    width_px = _checked(run, width_px)
    corner = _Corner(run.shape, width_px=width_px)
    strips = Panel(width_px, corner.bottom + _EDGE)
    for worker, blocks in enumerate(run.inputs):
        for block in blocks:
            corner.draw(strips, block, colour=rank(worker))
            corner.write(strips, block)
    corner.draw(strips, _whole_result(run), colour="muted", label="C", strength=0.05)
    for matrix in "AB":
        x, y = corner.origins[matrix]
        strips.text(x, y - 5, matrix, bold=True)
    return strips, _partials_panel(run, width_px=width_px)


def _checked(run: BlockProduct, width_px: float) -> float:
    """Return the width, or raise ``ValueError`` where it or the run is none."""
    if not isinstance(run, BlockProduct):
        raise ValueError(f"run must be a BlockProduct, got {run!r}")
    if not _EDGE * 2 < positive_number("width_px", width_px) <= _MOST_PX:
        raise ValueError(f"width_px must be above {_EDGE * 2} and at most {_MOST_PX}, got {width_px!r}")
    return width_px


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
    """Draw a matrix of numbers with its name above."""
    rows, columns = matrix.shape
    panel.rectangle(x, y, columns * cell, rows * cell, colour=colour)
    panel.text(x, y - 4, name, bold=True)
    for i in range(rows):
        middles = [x + (j + 0.5) * cell for j in range(columns)]
        panel.signs(middles, y + (i + 0.5) * cell, [str(number) for number in matrix[i]])


def _whole_result(run: BlockProduct) -> Block:
    m, _, n = run.shape
    return Block("C", range(m), range(n), run.assemble())
