"""Figures: matrix products in coloured blocks, drawn from simulated runs; what each cut sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter, LogLocator

from snippets.background.block_products import Block, BlockProduct
from snippets.background.cluster import Array
from snippets.background.gemm import best_grid, grid_traffic_words
from snippets.domain import at_most, integer_at_least, positive_integer, positive_number, text
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.palette import rank

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_PX = 10_000
_EDGE = 16  # room around a picture for the names of matrices, in pixels


def _name(matrix: str, worker: int) -> str:
    """The name of a worker's block, such as A₁."""
    return matrix + str(worker).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


class _Corner:
    """The places of A, B and C when B stands above C and A to the left of it, so that rows and columns line up."""

    def __init__(self, shape: tuple[int, int, int], *, width_px: float, top_px: float) -> None:
        m, k, n = shape
        self.cell = (width_px - 2 * _EDGE) / (k + n + 1)
        self.left, self.top = _EDGE, top_px + _EDGE
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
    corner = _Corner(run.shape, width_px=width_px, top_px=0)
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


def split_panel(run: BlockProduct, *, title: str, width_px: float = 232) -> Panel:
    """Draw who holds what before a run and after it: a worker's blocks in its colour, grey what all workers hold.

    Args:
        run: a product in blocks.
        title: what is cut.
        width_px: width of the panel.

    Returns:
        The picture, with the bytes that a worker holds and sends at most, from the run's account.

    Raises:
        ValueError: ``run`` is no product in blocks, ``title`` no text, or the width is not above 32 and at most 10⁴.
    """
    width_px = _checked(run, width_px)
    corner = _Corner(run.shape, width_px=width_px, top_px=22)
    panel = Panel(width_px, corner.bottom + 46)
    panel.text(width_px / 2, 16, text("title", title), anchor="middle", bold=True)
    held = [*zip(*run.inputs, strict=True), run.outputs]
    for blocks in held:
        everywhere = len({(block.rows, block.columns) for block in blocks}) == 1 < len(blocks)
        if everywhere:
            corner.draw(panel, blocks[0], colour="muted", label=f"{blocks[0].matrix}, on all", strength=0.1)
            continue
        for worker, block in enumerate(blocks):
            corner.draw(panel, block, colour=rank(worker), label=_name(block.matrix, worker))
    most = {key: max(getattr(worker, key) for worker in run.account.workers) for key in ("start_bytes", "sent_bytes")}
    lines = (f"a worker starts with {most['start_bytes']:,} B", f"and sends {most['sent_bytes']:,} B")
    for number, line in enumerate(lines):
        panel.text(width_px / 2, corner.bottom + 20 + 17 * number, line, anchor="middle", colour="muted")
    return panel


def traffic_plot(*, m: int, k: int, n: int, bytes_per_element: int, most_workers: int = 512) -> Figure:
    """Plot the bytes that a worker sends against the number of workers, for each way to cut, on log axes.

    The indices of ``c_ij = Σ_x a_ix·b_xj`` are cut: i has m values, j has n, x has k.

    Args:
        m: rows of A.
        k: the shared dimension.
        n: columns of B.
        bytes_per_element: bytes of one number.
        most_workers: the right end of the axis, at least 2; powers of 2 are drawn.

    Returns:
        The figure. A, B and C are sharded at the start and at the end, without copies.

    Raises:
        ValueError: an argument is no integer in its range: dimensions and bytes from 1 to 2²⁰, workers from 2 to 2²⁰.
    """
    for name, size in (("m", m), ("k", k), ("n", n), ("bytes_per_element", bytes_per_element)):
        at_most(name, positive_integer(name, size))
    most = at_most("most_workers", integer_at_least("most_workers", most_workers, 2))
    counts = [2**power for power in range(1, most.bit_length())]
    curves = {
        "cut j: A moves": [(1, count, 1) for count in counts],
        "cut i: B moves": [(count, 1, 1) for count in counts],
        "cut x: C moves": [(1, 1, count) for count in counts],
        "best grid": [best_grid(m=m, k=k, n=n, workers=count) for count in counts],
    }
    with plot(width_px=340, height_px=280) as (figure, axes):
        for name, grids in curves.items():
            best = name == "best grid"
            tint = colour("accent" if best else "muted")
            words = [grid_traffic_words(m=m, k=k, n=n, grid=(r, c, d)) / (r * c * d) for r, c, d in grids]
            megabytes = [count * bytes_per_element / 1e6 for count in words]
            axes.plot(counts, megabytes, color=tint)
            end, offset = (-3, (-8, -4)) if best else (-1, (0, 4))
            place: dict[str, Any] = {"ha": "right", "va": "top" if best else "bottom"}
            axes.annotate(name, (counts[end], megabytes[end]), offset, textcoords="offset points", color=tint, **place)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("workers N")
        axes.set_ylabel("MB sent by a worker")
        axes.set_xticks(counts[::2], [str(count) for count in counts[::2]])
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.minorticks_off()
    return figure


def _whole_result(run: BlockProduct) -> Block:
    m, _, n = run.shape
    return Block("C", range(m), range(n), run.assemble())
