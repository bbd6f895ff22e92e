"""Simulators: a large slow memory and a small fast one, between which each number that passes is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array
from snippets.domain import each, flag, nonnegative_integer, one_of, positive_integer, text, text_fields

Floats = npt.NDArray[np.float64]


class FastMemoryFull(ValueError):
    """More was loaded than the fast memory holds.

    >>> CountedMemory(2).load(np.ones(3))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    snippets.foundations.roofline.simulators.FastMemoryFull: 3 numbers do not fit: the fast memory holds 2, of ...
    """


@dataclass
class CountedMemory:
    """The way between a slow memory and a fast one of so many numbers.

    Attributes:
        capacity: numbers that the fast memory holds.
        held: numbers in it now.
        read: numbers that have come from the slow memory.
        written: numbers that have gone to it.

    >>> memory = CountedMemory(8)
    >>> block = memory.load(np.ones((2, 2)))
    >>> memory.store(block, np.zeros((2, 2)))
    >>> memory.read, memory.written, memory.held
    (4, 4, 0)
    """

    capacity: int
    held: int = field(default=0, init=False)
    read: int = field(default=0, init=False)
    written: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.capacity = positive_integer("capacity", self.capacity)

    def take(self, *shape: int) -> Floats:
        """Return zeros in fast memory, to compute in: nothing is read."""
        block = np.zeros([nonnegative_integer("shape", side) for side in shape])
        if self.held + block.size > self.capacity:
            in_use = f"the fast memory holds {self.capacity}, of which {self.held} are in use"
            raise FastMemoryFull(f"{block.size} numbers do not fit: {in_use}")
        self.held += block.size
        return block

    def load(self, numbers: Floats) -> Floats:
        """Read numbers from the slow memory into the fast one."""
        block = self.take(*numbers.shape)
        block[...] = numbers
        self.read += block.size
        return block

    def drop(self, block: Floats) -> None:
        """Forget a block of the fast memory."""
        self.held -= block.size

    def store(self, block: Floats, into: Floats) -> None:
        """Write a block to the slow memory and forget it here."""
        into[...] = block
        self.written += block.size
        self.drop(block)


def tiled_product(a: Floats, b: Floats, *, tile_rows: int, tile_columns: int, memory: CountedMemory) -> Floats:
    """Multiply X by W tile by tile: a tile of Y stays in fast memory, columns of X and rows of W pass by it one by one.

    Args:
        a: X, m × k finite numbers in slow memory.
        b: W, k × n finite numbers in slow memory.
        tile_rows: rows of a tile.
        tile_columns: columns of a tile.
        memory: counts what passes; it has to hold a tile, a column of it and a row of it.

    Returns:
        Y, in slow memory.

    Raises:
        ValueError: if the tile is too large, the arrays do not form a product, or an argument is of the wrong kind.

    Source: derived in this book.

    Convention: the last tiles of a row or column may be smaller.

    Leaves out: what a cache would keep from one tile to the next.

    Example:
        >>> memory = CountedMemory(8)
        >>> tiled_product(np.ones((4, 4)), np.ones((4, 4)), tile_rows=2, tile_columns=2, memory=memory)[0, 0]
        np.float64(4.0)
        >>> memory.read, memory.written
        (64, 16)
    """
    a, b = finite_array("a", a, dimensions=2), finite_array("b", b, dimensions=2)
    (m, k), n = a.shape, b.shape[1]
    if len(b) != k:
        raise ValueError(f"b must have {k} rows, as many as a has columns, got {len(b)}")
    rows, columns = positive_integer("tile_rows", tile_rows), positive_integer("tile_columns", tile_columns)
    memory = _memory(memory)
    high, wide, free = min(rows, m), min(columns, n), memory.capacity - memory.held
    if high * wide + high + wide > free:
        needs = f"a tile of {high} × {wide} with a column and a row takes {high * wide + high + wide} numbers"
        given = f"{needs}, and {free} are free, got {tile_rows!r} × {tile_columns!r}"
        raise ValueError(f"tile_rows and tile_columns must be small enough: {given}")
    c = np.zeros((m, n))
    for top in range(0, m, rows):
        for left in range(0, n, columns):
            into = c[top : top + rows, left : left + columns]  # (own rows, own columns)
            tile = memory.take(*into.shape)
            for x in range(k):
                column, row = memory.load(a[top : top + rows, x]), memory.load(b[x, left : left + columns])
                with np.errstate(over="ignore"):
                    tile += np.outer(column, row)
                memory.drop(column)
                memory.drop(row)
            memory.store(tile, into)
    return finite_array("a and b", c)


@dataclass(frozen=True)
class ChainStep:
    """One element-wise operation of a chain: what it makes, of what, and how.

    >>> ChainStep("y", ("x", "x"), np.multiply).makes
    'y'
    """

    makes: str
    of: tuple[str, ...]
    how: Callable[..., Floats]

    def __post_init__(self) -> None:
        text_fields(self, "makes")
        if not isinstance(self.of, tuple | list):
            raise ValueError(f"of must be a tuple of names, got {self.of!r}")
        object.__setattr__(self, "of", each("of", self.of, lambda name, array: str(text(name, array))))
        if not callable(self.how):
            raise ValueError(f"how must be a function, got {self.how!r}")


def run_elementwise_chain(
    steps: Sequence[ChainStep], arrays: Mapping[str, Floats], *, kept: Sequence[str], fused: bool, memory: CountedMemory
) -> dict[str, Floats]:
    """Run a chain of element-wise operations on arrays in slow memory, entry by entry.

    Args:
        steps: the operations in their order.
        arrays: the arrays that there are at the start, all of one length.
        kept: what is wanted afterwards, each made by a step.
        fused: whether one loop runs all operations on an entry before it goes to the next; otherwise each operation
            is a loop of its own, which reads what it needs and writes what it makes.
        memory: counts what passes.

    Returns:
        The arrays that are kept.

    Raises:
        FastMemoryFull: if the fast memory does not hold what an entry needs.
        ValueError: if a step uses what nothing has made, or another argument is of the wrong kind.

    Source: derived in this book.

    Convention: a loop reads an array once for each entry, even if it is used twice.

    Leaves out: vector units and caches.

    Example:
        >>> memory = CountedMemory(8)
        >>> steps = [ChainStep("u", ("x", "y"), np.add), ChainStep("v", ("u",), np.sqrt)]
        >>> arrays = {"x": np.ones(5), "y": np.full(5, 3.0)}
        >>> made = run_elementwise_chain(steps, arrays, kept=["v"], fused=True, memory=memory)
        >>> made["v"][0], memory.read + memory.written
        (np.float64(2.0), 15)
    """
    steps, fused, memory = each("steps", steps, _step), flag("fused", fused), _memory(memory)
    slow = _slow(steps, arrays)
    kept = each("kept", kept, lambda name, array: str(one_of(name, array, {step.makes for step in steps})))
    for loop in [steps] if fused else [(step,) for step in steps]:
        for entry in range(len(slow[steps[0].makes])):
            _run_entry(loop, slow, entry, written=kept if fused else [loop[0].makes], memory=memory)
    return {name: slow[name] for name in kept}


def _run_entry(
    loop: Sequence[ChainStep], slow: dict[str, Floats], entry: int, *, written: Sequence[str], memory: CountedMemory
) -> None:
    """Do all steps of a loop for one entry, with an empty fast memory at the start and at the end."""
    place = slice(entry, entry + 1)
    fast: dict[str, Floats] = {}
    for step in loop:
        for name in step.of:
            if name not in fast:
                fast[name] = memory.load(slow[name][place])
        fast[step.makes] = memory.take(1)
        fast[step.makes][...] = step.how(*(fast[name] for name in step.of))
    for name, block in fast.items():
        if name in written:
            memory.store(block, slow[name][place])
        else:
            memory.drop(block)


def _slow(steps: Sequence[ChainStep], arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the slow memory of a chain: the given arrays, and zeros for what its steps make."""
    if not isinstance(arrays, Mapping) or not arrays:
        raise ValueError(f"arrays must go from names to arrays, got {arrays!r:.100}")
    slow = {name: finite_array("arrays", array, dimensions=1).copy() for name, array in arrays.items()}
    lengths = {len(array) for array in slow.values()}
    if len(lengths) > 1:
        raise ValueError(f"arrays must have one length, got {sorted(lengths)}")
    if not steps:
        raise ValueError("steps must hold one operation at least, got none")
    for step in steps:
        for name in step.of:
            if name not in slow:
                raise ValueError(f"steps must use what there is or was made before, got {name!r}")
        slow[step.makes] = np.zeros(len(next(iter(slow.values()))))
    return slow


def _step(name: str, step: ChainStep) -> ChainStep:
    if not isinstance(step, ChainStep):
        raise ValueError(f"{name} must be ChainSteps, got {step!r}")
    return step


def _memory(memory: CountedMemory) -> CountedMemory:
    if not isinstance(memory, CountedMemory):
        raise ValueError(f"memory must be a CountedMemory, got {memory!r}")
    return memory
