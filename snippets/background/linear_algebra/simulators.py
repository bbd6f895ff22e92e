"""Simulators: a matrix product on ranks that hold only their blocks, cut by rows, by columns, along k or on a grid.

Each function deals the blocks of A and B out to the ranks of a machine, lets them multiply and send, and
returns what each holds at the end together with the account of the run. ``snippets.background.linear_algebra.formulas``
has the closed forms.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import number_array, refusing_overflow
from snippets.background.linear_algebra.formulas import RESULTS, Result, block_ranges
from snippets.domain import at_most, one_of, positive_integer
from snippets.simulation.account import Account, Memory
from snippets.simulation.machine import MOST_RANKS, Barrier, Broadcast, Compute, Exchange, Machine, Program

Replicated = Literal["neither", "A", "B", "both"]
REPLICATED: tuple[Replicated, ...] = ("neither", "A", "B", "both")

Array = NDArray[Any]
Part = Generator[Any, Any, None]


@dataclass(frozen=True)
class Block:
    """The rows and columns of A, B or C that a rank holds, and their values."""

    matrix: Literal["A", "B", "C"]
    rows: range
    columns: range
    array: Array


@dataclass(frozen=True)
class BlockProduct:
    """A product that was computed in blocks.

    Attributes:
        shape: (m, k, n).
        inputs: for each rank, its blocks of A and of B before the first message.
        outputs: for each rank, its block of C after the last.
        account: what each rank held, sent and computed: ``"product_flops"`` of block products, and
            ``"reduction_flops"`` of adding what another rank has sent.
    """

    shape: tuple[int, int, int]
    inputs: tuple[tuple[Block, Block], ...]
    outputs: tuple[Block, ...]
    account: Account

    def assemble(self) -> Array:
        """Put the ranks' blocks of C together."""
        m, _, n = self.shape
        whole: Array = np.zeros((m, n), dtype=self.outputs[0].array.dtype)
        for block in self.outputs:
            whole[_slices(block.rows, block.columns)] = block.array
        return whole


@refusing_overflow("a and b")
def partial_products(a: Array, b: Array, *, parts: int) -> list[Array]:
    """The products A_r·B_r of each part of the shared dimension, which sum to A·B.

    Args:
        a: m × k numbers.
        b: k × n numbers.
        parts: how many parts to cut k into, at least 1.

    Returns:
        One m × n array for each part; zeros for a part that is empty.

    Raises:
        ValueError: the arrays do not form a product, or ``parts`` is no integer of at least 1.

    Example:
        >>> a, b = np.arange(6).reshape(2, 3), np.ones((3, 1), dtype=int)
        >>> [part.ravel().tolist() for part in partial_products(a, b, parts=3)], (a @ b).ravel().tolist()
        ([[0, 3], [1, 4], [2, 5]], [3, 12])
    """
    a, b = _operands(a, b)
    at_most("parts", positive_integer("parts", parts), MOST_RANKS)
    return [a[:, part.start : part.stop] @ b[part.start : part.stop] for part in block_ranges(a.shape[1], parts)]


@refusing_overflow("a and b")
def row_split_product(a: Array, b: Array, *, ranks: int, result: Result = "sharded") -> BlockProduct:
    """Multiply with A cut by rows: rank r holds A_r and all of B and computes A_r·B, the r-th block of rows of C.

    Args:
        a: A, m × k numbers (integers, floats or complex).
        b: B, k × n numbers; both are brought to their common type first.
        ranks: T, at least 1. With T > m the last ranks have no rows.
        result: ``"sharded"`` leaves C cut by rows, ``"replicated"`` gathers it on every rank around a ring.

    Returns:
        The ranks' blocks and the account.

    Raises:
        ValueError: the arrays do not form a product, or another argument is out of range.

    Example:
        >>> a, b = np.eye(4), np.ones((4, 2))
        >>> row_split_product(a, b, ranks=2, result="replicated").account.sent_bytes
        (32, 32)
    """
    a, b = _operands(a, b)
    (m, k), n = a.shape, b.shape[1]
    ranks = _checked(ranks, result)
    rows = block_ranges(m, ranks)
    inputs = tuple((_block("A", a, part, range(k)), _block("B", b, range(k), range(n))) for part in rows)
    chunks, account = _multiply(inputs, rows=None, gathers=result == "replicated")
    return BlockProduct((m, k, n), inputs, _row_outputs(chunks, rows, n, result), account)


@refusing_overflow("a and b")
def column_split_product(a: Array, b: Array, *, ranks: int, result: Result = "sharded") -> BlockProduct:
    """Multiply with B cut by columns: rank r holds all of A and B_r and computes A·B_r, the r-th columns of C.

    Args:
        a: A, m × k numbers (integers, floats or complex).
        b: B, k × n numbers; both are brought to their common type first.
        ranks: how many there are, at least 1. With more than n the last ranks have no columns.
        result: ``"sharded"`` leaves C cut by columns, ``"replicated"`` gathers it on every rank around a ring.

    Returns:
        The ranks' blocks and the account.

    Raises:
        ValueError: the arrays do not form a product, or another argument is out of range.

    Example:
        >>> a, b = np.eye(4), np.ones((4, 2))
        >>> [block.array.shape for block in column_split_product(a, b, ranks=2).outputs]
        [(4, 1), (4, 1)]
    """
    a, b = _operands(a, b)
    (m, k), n = a.shape, b.shape[1]
    ranks = _checked(ranks, result)
    columns = block_ranges(n, ranks)
    inputs = tuple((_block("A", a, range(m), range(k)), _block("B", b, range(k), part)) for part in columns)
    chunks, account = _multiply(inputs, rows=None, gathers=result == "replicated")
    held = columns if result == "sharded" else (range(n),) * ranks
    outputs = tuple(Block("C", range(m), part, np.hstack(mine)) for part, mine in zip(held, chunks, strict=True))
    return BlockProduct((m, k, n), inputs, outputs, account)


@refusing_overflow("a and b")
def k_split_product(a: Array, b: Array, *, ranks: int, result: Result = "replicated") -> BlockProduct:
    """Multiply with the shared dimension cut: rank r holds A_r (columns) and B_r (rows), and A_r·B_r is to be summed.

    Args:
        a: A, m × k numbers (integers, floats or complex).
        b: B, k × n numbers; both are brought to their common type first.
        ranks: T, at least 1. With T > k the last ranks contribute zeros.
        result: ``"sharded"`` sums by a ring reduce-scatter, which leaves C cut by rows; ``"replicated"`` adds a ring
            all-gather, so that the two are an all-reduce.

    Returns:
        The ranks' blocks and the account.

    Raises:
        ValueError: the arrays do not form a product, or another argument is out of range.

    Example:
        >>> a, b = np.ones((4, 6)), np.ones((6, 2))
        >>> run = k_split_product(a, b, ranks=2)
        >>> run.assemble().max(), run.account.sent_bytes[0], run.account.steps
        (np.float64(6.0), 64, 2)
    """
    a, b = _operands(a, b)
    (m, k), n = a.shape, b.shape[1]
    ranks = _checked(ranks, result)
    rows, parts = block_ranges(m, ranks), block_ranges(k, ranks)
    inputs = tuple((_block("A", a, range(m), part), _block("B", b, part, range(n))) for part in parts)
    chunks, account = _multiply(inputs, rows=rows, gathers=result == "replicated")
    return BlockProduct((m, k, n), inputs, _row_outputs(chunks, rows, n, result), account)


def _checked(ranks: int, result: Result) -> int:
    """Return the number of ranks, or raise ``ValueError`` where it or the result is none."""
    one_of("result", result, RESULTS)
    return int(at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS))


def _multiply(
    inputs: Sequence[tuple[Block, Block]], *, rows: Sequence[range] | None, gathers: bool
) -> tuple[list[list[Array]], Account]:
    """Let each rank multiply its blocks; return the chunks of C that it has in the end.

    Without ``rows`` the products are chunks of C; else C is their sum, which is scattered in chunks of these rows.
    """
    ring = range(len(inputs))

    def program(place: int, memory: Memory, a: Array, b: Array) -> Program:
        product = a @ b
        yield _product_flops(a, b)
        if rows is None:
            chunks = {place: memory.watch(product)}
        else:
            chunks = {q: memory.watch(product[part.start : part.stop].copy()) for q, part in enumerate(rows)}
            del product
            yield from _ring_reduce_scatter(chunks, ring, place)
        if gathers:
            yield from _ring_all_gather(chunks, ring, place)
        return [chunk for _, chunk in sorted(chunks.items())]

    machine = Machine(len(inputs))
    dealt = [
        [memory.watch(block.array.copy()) for block in blocks]
        for memory, blocks in zip(machine.memories, inputs, strict=True)
    ]
    chunks = machine.run([program(place, machine.memories[place], *dealt[place]) for place in ring])
    return list(chunks), machine.account


def _product_flops(a: Array, b: Array) -> Compute:
    return Compute("product_flops", 2 * a.shape[0] * a.shape[1] * b.shape[1])


def _ring_reduce_scatter(chunks: dict[int, Array], ring: Sequence[int], place: int) -> Part:
    """Sum chunks over a ring; each rank passes on the chunk that it has added to last, and in the end has its own."""
    size = len(ring)
    for step in range(size - 1):
        passed, added = (place - 1 - step) % size, (place - 2 - step) % size
        arrived = yield Exchange(ring[(place + 1) % size], chunks[passed], ring[place - 1])
        del chunks[passed]
        chunks[added] += arrived
        yield Compute("reduction_flops", arrived.size)
        del arrived


def _ring_all_gather(chunks: dict[int, Array], ring: Sequence[int], place: int) -> Part:
    """Collect the chunks of a ring; each rank passes on the chunk that came last, at first its own."""
    size = len(ring)
    for step in range(size - 1):
        passed = chunks[(place - step) % size]
        chunks[(place - 1 - step) % size] = yield Exchange(ring[(place + 1) % size], passed, ring[place - 1])


@dataclass(frozen=True)
class _Grid:
    """The ranges that a grid of ρ × κ × λ ranks cuts a product into.

    A panel is a piece of a layer's part of k that lies in one column's block of A and in one row's block of B, so that
    it can be sent as a whole; ``panels[l]`` lists layer l's as (range, column with its part of A, row with that of B).
    """

    size: tuple[int, int, int]
    rows: tuple[range, ...]
    columns: tuple[range, ...]
    a_parts: tuple[tuple[range, ...], ...]
    b_parts: tuple[tuple[range, ...], ...]
    panels: tuple[tuple[tuple[range, int, int], ...], ...]

    @classmethod
    def of(cls, shape: tuple[int, int, int], size: tuple[int, int, int]) -> _Grid:
        (m, k, n), (r, c, d) = shape, size
        layers = block_ranges(k, d)
        a_parts = tuple(_within(layer, c) for layer in layers)
        b_parts = tuple(_within(layer, r) for layer in layers)
        panels = tuple(_common_pieces(a, b) for a, b in zip(a_parts, b_parts, strict=True))
        return cls(size, block_ranges(m, r), block_ranges(n, c), a_parts, b_parts, panels)

    def number(self, i: int, j: int, layer: int) -> int:
        """The rank in row i and column j of a layer."""
        return (layer * self.size[0] + i) * self.size[1] + j

    def row(self, i: int, layer: int) -> list[int]:
        """The ranks in a row of a layer."""
        return [self.number(i, j, layer) for j in range(self.size[1])]

    def column(self, j: int, layer: int) -> list[int]:
        """The ranks in a column of a layer."""
        return [self.number(i, j, layer) for i in range(self.size[0])]

    def places(self) -> list[tuple[int, int, int]]:
        """(i, j, l) of each rank, in the order of their numbers."""
        r, c, d = self.size
        return [(i, j, layer) for layer in range(d) for i in range(r) for j in range(c)]


@refusing_overflow("a and b")
def grid_product(a: Array, b: Array, *, grid: tuple[int, int, int], replicated: Replicated = "neither") -> BlockProduct:
    """Multiply on ρ rows × κ columns × λ layers of ranks, which at the start hold nothing twice unless told so.

    Each layer runs SUMMA on its part of k: for every panel, the blocks of A travel along the grid's rows and those of B
    along its columns, from rank to rank around a ring, and every rank adds one product to its block of C. A ring
    reduce-scatter then sums the layers' blocks and leaves each its rows. Rank (i, j, l) has number (l·ρ + i)·κ + j.
    A matrix that is replicated lies whole on every rank from the start to the end, and is not sent.

    Args:
        a: A, m × k numbers (integers, floats or complex).
        b: B, k × n numbers; both are brought to their common type first.
        grid: (ρ, κ, λ), each at least 1; λ = 1 is SUMMA.
        replicated: ``"neither"``, ``"A"``, ``"B"`` or ``"both"``: which of the two every rank holds whole.

    Returns:
        The ranks' blocks and the account; C is left sharded.

    Raises:
        ValueError: the arrays do not form a product, or ``grid`` holds anything but three integers of at least 1.

    Source: van de Geijn and Watts 1997 for SUMMA; Agarwal et al. 1995 for three dimensions.

    Example:
        >>> run = grid_product(np.ones((4, 4)), np.ones((4, 4)), grid=(2, 2, 1))
        >>> run.account.sent_bytes, float(run.assemble()[0, 0])
        ((64, 64, 64, 64), 4.0)
    """
    a, b = _operands(a, b)
    r, c, d = _grid_size(grid)
    at_most("grid", r * c * d, MOST_RANKS)
    one_of("replicated", replicated, REPLICATED)
    whole = {"neither": "", "both": "AB"}.get(replicated, replicated)
    (m, k), n = a.shape, b.shape[1]
    plan = _Grid.of((m, k, n), (r, c, d))
    inputs = tuple(
        (
            _block("A", a, *((range(m), range(k)) if "A" in whole else (plan.rows[i], plan.a_parts[layer][j]))),
            _block("B", b, *((range(k), range(n)) if "B" in whole else (plan.b_parts[layer][i], plan.columns[j]))),
        )
        for i, j, layer in plan.places()
    )
    machine = Machine(r * c * d)
    own = [  # what is replicated, a rank has even where it needs none of it
        (memory.watch(a.copy()) if "A" in whole else a, memory.watch(b.copy()) if "B" in whole else b)
        for memory in machine.memories
    ]
    programs = [
        _summa(plan, place, memory, *_panels(plan, place, memory, *matrices, whole), a.dtype, whole)
        for place, memory, matrices in zip(plan.places(), machine.memories, own, strict=True)
    ]
    chunks = machine.run(programs)
    outputs = tuple(
        Block("C", _within(plan.rows[i], d)[layer], plan.columns[j], chunk)
        for (i, j, layer), chunk in zip(plan.places(), chunks, strict=True)
    )
    return BlockProduct((a.shape[0], a.shape[1], b.shape[1]), inputs, outputs, machine.account)


Panels = dict[int, Array]


def _panels(
    plan: _Grid, place: tuple[int, int, int], memory: Memory, a: Array, b: Array, whole: str
) -> tuple[Panels, Panels]:
    """Give a rank its blocks of A and B, cut into panels; of a matrix that it holds whole, all the panels it needs."""
    i, j, layer = place
    of_a, of_b = {}, {}
    for number, (part, column, row) in enumerate(plan.panels[layer]):
        if "A" in whole:
            of_a[number] = a[_slices(plan.rows[i], part)]
        elif column == j:
            of_a[number] = memory.watch(a[_slices(plan.rows[i], part)].copy())
        if "B" in whole:
            of_b[number] = b[_slices(part, plan.columns[j])]
        elif row == i:
            of_b[number] = memory.watch(b[_slices(part, plan.columns[j])].copy())
    return of_a, of_b


def _summa(
    plan: _Grid,
    place: tuple[int, int, int],
    memory: Memory,
    of_a: Panels,
    of_b: Panels,
    kind: np.dtype[Any],
    whole: str,
) -> Program:
    """For each panel, take part in broadcasts along row and column, and add a product; then sum C over the layers."""
    i, j, layer = place
    rows, columns = _within(range(len(plan.rows[i])), plan.size[2]), len(plan.columns[j])
    chunks = {z: memory.watch(np.zeros((len(part), columns), kind)) for z, part in enumerate(rows)}
    for number in range(max(map(len, plan.panels))):
        yield Barrier()  # a panel waits for the one before it
        if number < len(plan.panels[layer]):
            _, column, row = plan.panels[layer][number]
            along_row = Broadcast(plan.number(i, column, layer), of_a.get(number), plan.row(i, layer), "chain")
            along_column = Broadcast(plan.number(row, j, layer), of_b.get(number), plan.column(j, layer), "chain")
            if not whole:
                left, right = yield [along_row, along_column]  # (own m, panel), (panel, own n)
            else:
                left = of_a[number] if "A" in whole else (yield along_row)
                right = of_b[number] if "B" in whole else (yield along_column)
            product = left @ right  # (own m, own n)
            for z, part in enumerate(rows):
                chunks[z] += product[part.start : part.stop]
            yield _product_flops(left, right)
            del left, right
    yield from _ring_reduce_scatter(chunks, [plan.number(i, j, z) for z in range(plan.size[2])], layer)
    return chunks[layer]


@refusing_overflow("x, y and weights")
def example_gradients(x: Array, y: Array, weights: Array) -> Array:
    """The gradient of each example's loss ``½·(x_i·w − y_i)²`` of a linear model, ``(x_i·w − y_i)·x_i``.

    Args:
        x: Z × f features.
        y: Z targets.
        weights: f weights w.

    Returns:
        Z × f numbers, one gradient a row.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> example_gradients(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([3.0, 0.0]), np.array([1.0, 1.0])).tolist()
        [[-2.0, -0.0], [0.0, 4.0]]
    """
    x, y, weights = _examples(x, y, weights)
    return (x @ weights - y)[:, None] * x  # (Z, f)


@refusing_overflow("x, y and weights")
def mean_loss(x: Array, y: Array, weights: Array) -> float:
    """The mean over the examples of ``½·(x_i·w − y_i)²``.

    Args:
        x: Z × f features.
        y: Z targets.
        weights: f weights w.

    Returns:
        The loss of the batch.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> mean_loss(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([3.0, 0.0]), np.array([1.0, 1.0]))
        2.0
    """
    x, y, weights = _examples(x, y, weights)
    if not len(x):
        raise ValueError("x must hold at least one example, got none")
    residual = x @ weights - y
    return float(residual @ residual / (2 * len(x)))


def _examples(x: Any, y: Any, weights: Any) -> tuple[Array, Array, Array]:
    """Return features, targets and weights as arrays whose shapes fit, or raise ``ValueError``."""
    named = (("x", x), ("y", y), ("weights", weights))
    x, y, weights = (number_array(name, value) for name, value in named)
    if x.ndim != 2 or y.shape != x.shape[:1] or weights.shape != x.shape[1:]:
        raise ValueError(f"x, y, weights must have shapes Z × f, Z and f, got {x.shape}, {y.shape}, {weights.shape}")
    return x, y, weights


def _operands(a: Any, b: Any) -> tuple[Array, Array]:
    """Return A and B as arrays of one type, or raise ``ValueError``."""
    a, b = number_array("a", a, dimensions=2), number_array("b", b, dimensions=2)
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"b must have as many rows as a has columns, {a.shape[1]}, got {b.shape[0]}")
    common = np.result_type(a, b)
    return a.astype(common), b.astype(common)


def _grid_size(grid: Any) -> tuple[int, int, int]:
    """Return the grid's three sizes, or raise ``ValueError``."""
    if not isinstance(grid, tuple | list) or len(grid) != 3:
        raise ValueError(f"grid must be three integers (rows, columns, layers), got {grid!r}")
    r, c, d = (positive_integer(f"grid[{axis}]", size) for axis, size in enumerate(grid))
    return r, c, d


def _slices(rows: range, columns: range) -> tuple[slice, slice]:
    return slice(rows.start, rows.stop), slice(columns.start, columns.stop)


def _block(matrix: Literal["A", "B", "C"], whole: Array, rows: range, columns: range) -> Block:
    return Block(matrix, rows, columns, whole[_slices(rows, columns)])


def _within(part: range, pieces: int) -> tuple[range, ...]:
    """Cut a range that need not start at 0 as ``block_ranges`` does."""
    return tuple(range(part.start + piece.start, part.start + piece.stop) for piece in block_ranges(len(part), pieces))


def _common_pieces(a_parts: tuple[range, ...], b_parts: tuple[range, ...]) -> tuple[tuple[range, int, int], ...]:
    """The non-empty overlaps of two partitions of one range, each with the numbers of the parts that it lies in."""
    pairs = ((a, b, column, row) for column, a in enumerate(a_parts) for row, b in enumerate(b_parts))
    pieces = ((range(max(a.start, b.start), min(a.stop, b.stop)), column, row) for a, b, column, row in pairs)
    return tuple(piece for piece in pieces if len(piece[0]))


def _row_outputs(chunks: list[list[Array]], rows: tuple[range, ...], n: int, result: Result) -> tuple[Block, ...]:
    """What each rank holds of a C whose chunks are blocks of rows."""
    held = rows if result == "sharded" else (range(rows[-1].stop),) * len(rows)
    return tuple(Block("C", part, range(n), np.vstack(mine)) for part, mine in zip(held, chunks, strict=True))
