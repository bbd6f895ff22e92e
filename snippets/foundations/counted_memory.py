"""Simulators: a large slow memory and a small fast one, between which each number that passes is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from snippets.domain import nonnegative_integer, positive_integer

Floats = npt.NDArray[np.float64]


class FastMemoryFull(ValueError):
    """More was loaded than the fast memory holds.

    >>> CountedMemory(2).load(np.ones(3))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    snippets.foundations.counted_memory.FastMemoryFull: 3 numbers do not fit: the fast memory holds 2, of ...
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
    """Multiply tile by tile: a tile of C stays in fast memory, columns of A and rows of B pass by it one by one.

    Args:
        a: m × k numbers in slow memory.
        b: k × n numbers in slow memory.
        tile_rows: rows of a tile.
        tile_columns: columns of a tile.
        memory: counts what passes; it has to hold a tile, a column of it and a row of it.

    Returns:
        C, in slow memory.

    Raises:
        FastMemoryFull: if the tile is too large.

    >>> memory = CountedMemory(8)
    >>> tiled_product(np.ones((4, 4)), np.ones((4, 4)), tile_rows=2, tile_columns=2, memory=memory)[0, 0]
    np.float64(4.0)
    >>> memory.read, memory.written
    (64, 16)
    """
    (m, k), n = a.shape, b.shape[1]
    rows, columns = positive_integer("tile_rows", tile_rows), positive_integer("tile_columns", tile_columns)
    c = np.zeros((m, n))
    for top in range(0, m, rows):
        for left in range(0, n, columns):
            into = c[top : top + rows, left : left + columns]
            tile = memory.take(*into.shape)
            for x in range(k):
                column, row = memory.load(a[top : top + rows, x]), memory.load(b[x, left : left + columns])
                tile += np.outer(column, row)
                memory.drop(column)
                memory.drop(row)
            memory.store(tile, into)
    return c


@dataclass(frozen=True)
class Step:
    """One element-wise operation of a chain: what it makes, of what, and how.

    >>> Step("y", ("x", "x"), np.multiply).makes
    'y'
    """

    makes: str
    of: tuple[str, ...]
    how: Callable[..., Floats]


def run_chain(
    steps: Sequence[Step], arrays: Mapping[str, Floats], *, kept: Sequence[str], fused: bool, memory: CountedMemory
) -> dict[str, Floats]:
    """Run a chain of element-wise operations on arrays in slow memory, entry by entry.

    Args:
        steps: the operations in their order.
        arrays: the arrays that there are at the start, all of one length.
        kept: what is wanted afterwards.
        fused: whether one loop runs all operations on an entry before it goes to the next; otherwise each operation
            is a loop of its own, which reads what it needs and writes what it makes.
        memory: counts what passes.

    Returns:
        The arrays that are kept.

    >>> memory = CountedMemory(8)
    >>> steps = [Step("u", ("x", "y"), np.add), Step("v", ("u",), np.sqrt)]
    >>> arrays = {"x": np.ones(5), "y": np.full(5, 3.0)}
    >>> run_chain(steps, arrays, kept=["v"], fused=True, memory=memory)["v"][0], memory.read + memory.written
    (np.float64(2.0), 15)
    """
    slow = {name: array.copy() for name, array in arrays.items()}
    length = len(next(iter(slow.values())))
    for step in steps:
        slow[step.makes] = np.zeros(length)
    loops = [list(steps)] if fused else [[step] for step in steps]
    for loop in loops:
        for entry in range(length):
            fast: dict[str, Floats] = {}
            made = {step.makes for step in loop}
            for step in loop:
                for name in step.of:
                    if name not in fast:
                        fast[name] = memory.load(slow[name][entry : entry + 1])
                fast[step.makes] = memory.take(1)
                fast[step.makes][...] = step.how(*(fast[name] for name in step.of))
            for name, block in fast.items():
                if name in made and (not fused or name in kept):
                    memory.store(block, slow[name][entry : entry + 1])
                else:
                    memory.drop(block)
    return {name: slow[name] for name in kept}
