"""Solutions of chapter A1's exercises."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Place = tuple[int, int]
Send = tuple[Place, Place, str, Place]


def k_split_product(a: NDArray[np.number], b: NDArray[np.number], parts: int) -> list[NDArray[np.number]]:
    """Multiply the p-th strip of A's columns by the p-th strip of B's rows."""
    strips = zip(np.array_split(a, parts, axis=1), np.array_split(b, parts, axis=0), strict=True)
    return [a_part @ b_part for a_part, b_part in strips]


def row_split_product(
    a: NDArray[np.number], b: NDArray[np.number], parts: int
) -> tuple[list[NDArray[np.number]], list[int]]:
    """Multiply each block of A's rows by the whole of B, which every worker therefore holds."""
    strips = np.array_split(a, parts, axis=0)
    blocks = [strip @ b for strip in strips]
    return blocks, [strip.nbytes + b.nbytes + block.nbytes for strip, block in zip(strips, blocks, strict=True)]


def summa_messages(size: int) -> list[Send]:
    """Pass panel s of A along each row and panel s of B along each column, from its owner around the ring."""
    messages: list[Send] = []
    for s in range(size):
        for hop in range(size - 1):
            here, there = (s + hop) % size, (s + hop + 1) % size
            for line in range(size):
                messages.append(((line, here), (line, there), "A", (line, s)))
                messages.append(((here, line), (there, line), "B", (s, line)))
    return messages


def grid_traffic_bytes(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    """A goes to c − 1 more workers, B to r − 1 more, and C is a sum of d blocks, d − 1 of which travel."""
    r, c, d = grid
    return (m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)) * bytes_per_element
