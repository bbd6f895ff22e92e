"""Simulators: compressors: blocks that share a scale, signs, the largest elements, thin factors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from snippets.arrays import affordable, finite_array, random_generator, refusing_overflow
from snippets.domain import integer_at_least, positive_integer

Array = npt.NDArray[np.float64]


class QuantisedBlocks(NamedTuple):
    """Integers and the scales of their blocks, as they are sent.

    >>> quantise_in_blocks([1.0, -0.5, 8.0, 2.0], bits=8, block=2).integers.tolist()
    [127, -64, 127, 32]
    """

    integers: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]
    block: int

    def restored(self) -> Array:
        """Return the numbers that the receiver works with.

        >>> quantise_in_blocks([3.0, 0.0], bits=8, block=2).restored().round(6).tolist()
        [3.0, 0.0]
        """
        scales = np.repeat(self.scales.astype(float), self.block)[: self.integers.size]
        return np.asarray(self.integers.astype(float) * scales)


def quantise_in_blocks(
    values: npt.ArrayLike, *, bits: int, block: int, generator: np.random.Generator | None = None
) -> QuantisedBlocks:
    """Round numbers to integers times a scale that each block has for itself.

    Args:
        values: any finite numbers, a vector.
        bits: of an integer, from 2 to 8.
        block: elements that share a scale; the last block may be shorter.
        generator: of the random numbers that decide up or down; ``None`` rounds to the nearest, halves to even.

    Returns:
        Integers of one byte each, which two 4-bit ones would share on the wire, and scales in fp32.

    Source: Wang, Qin et al. 2023 for blocks; Alistarh et al. 2017 for random rounding.
    Convention: the largest magnitude of a block is the last level. With a generator the result is right on average.
    Leaves out: zero points; packing.

    Example:
        >>> quantise_in_blocks([0.2, 1.0], bits=2, block=2).restored().tolist()
        [0.0, 1.0]
    """
    numbers = finite_array("values", values, dimensions=1)
    if generator is not None:
        random_generator("generator", generator)
    if integer_at_least("bits", bits, 2) > 8:
        raise ValueError(f"bits must be an integer from 2 to 8, got {bits!r}")
    most = 2 ** (int(bits) - 1) - 1
    length = positive_integer("block", block)
    affordable("block", numbers.size + length)
    blocks = -(-numbers.size // length)
    padded = np.zeros(blocks * length)
    padded[: numbers.size] = numbers
    table = padded.reshape(blocks, length)  # (blocks, q)
    with refusing_overflow("values"):
        largest = np.abs([table.max(axis=1, initial=0.0), table.min(axis=1, initial=0.0)]).max(axis=0)
        scales = (largest / most).astype(np.float32)
    table /= np.where(scales > 0, scales, 1).astype(float)[:, None]  # from here on in place: the arrays are large
    if generator is None:
        np.rint(table, out=table)
    else:
        np.floor(table + generator.random(table.shape), out=table)
    integers = np.clip(table, -most, most, out=table).astype(np.int8).ravel()[: numbers.size]
    return QuantisedBlocks(integers, scales, length)


def signs_of(values: npt.ArrayLike) -> Array:
    """Return a vector's signs times its mean magnitude: one bit for each element, and one number.

    Args:
        values: any finite numbers, a vector; a zero counts as positive.

    Returns:
        The vector that the receiver works with.

    Source: Karimireddy et al. 2019, the scaled sign.

    Example:
        >>> signs_of([3.0, -1.0]).tolist()
        [2.0, -2.0]
    """
    numbers = finite_array("values", values, dimensions=1)
    scale = np.abs(numbers).mean() if numbers.size else 0.0
    return np.where(numbers < 0, -scale, scale)


def largest_elements(values: npt.ArrayLike, *, kept: int) -> Array:
    """Return a vector with its largest elements, and zeros elsewhere: top-k.

    Args:
        values: any finite numbers, a vector.
        kept: how many elements stay, at least 1; all if there are fewer.

    Returns:
        The vector that the receiver works with; of equal magnitudes the first ones stay.

    Source: Stich et al. 2018.

    Example:
        >>> largest_elements([1.0, -3.0, 2.0], kept=1).tolist()
        [0.0, -3.0, 0.0]
    """
    numbers = finite_array("values", values, dimensions=1)
    places = np.argsort(-np.abs(numbers), kind="stable")[: positive_integer("kept", kept)]
    result = np.zeros_like(numbers)
    result[places] = numbers[places]
    return result


def thin_factors(matrix: npt.ArrayLike, start: npt.ArrayLike) -> tuple[Array, Array]:
    """Return the two factors that PowerSGD sends for a matrix: one step of the power iteration.

    Args:
        matrix: rows × columns, any finite numbers.
        start: columns × rank, the right factor of the step before, any finite numbers.

    Returns:
        The left factor with orthonormal columns, and the right one; their product stands for the matrix.

    Source: Vogels et al. 2019, algorithm 1.

    Example:
        >>> left, right = thin_factors([[2.0, 0.0], [0.0, 1.0]], [[1.0], [0.0]])
        >>> (left @ right.T).tolist()
        [[2.0, 0.0], [0.0, 0.0]]
    """
    whole, thin = (
        finite_array("matrix", matrix, dimensions=2),
        finite_array("start", start, dimensions=2),
    )
    if whole.shape[1] != thin.shape[0] or not whole.size or not thin.size or thin.shape[1] > whole.shape[0]:
        raise ValueError(
            f"start must have as many rows as matrix has columns, and no more columns than it has rows, got shapes "
            f"{whole.shape} and {thin.shape}"
        )
    with refusing_overflow("matrix and start"):
        seen = whole @ thin
        left, _ = np.linalg.qr(seen)  # (rows, rank)
        left = left * np.where(np.sum(left * seen, axis=0) < 0, -1.0, 1.0)
        return left, whole.T @ left
