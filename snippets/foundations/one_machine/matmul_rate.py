"""Simulators: how fast this machine multiplies matrices, measured now or read from a recorded measurement."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from snippets.domain import at_most, each, positive_integer
from snippets.foundations.recorded_run import Measurement

RECORDED = Path(__file__).with_name("matmul_rate_recorded.json")
SIZES = (128, 256, 512, 1024, 2048)
MOST_ROWS, MOST_REPEATS = 2**14, 2**16


class MatmulTimes(Measurement):
    """Times of square matrix products in float32. Sizes are rows n of the matrices.

    Example:
        >>> MatmulTimes("a machine", "2026-01-01", (1000,), ((0.02, 0.01, 0.04),)).flops_per_s
        (100000000000.0,)
    """

    @property
    def flops_per_s(self) -> tuple[float, ...]:
        """For each size 2n³ operations over the median of its times."""
        return tuple(2 * n**3 / median for n, median in zip(self.sizes, self.medians_s, strict=True))


def measure_matmul(*, sizes: Sequence[int] = SIZES, repeats: int = 9) -> MatmulTimes:
    """Multiply square matrices of float32 on this machine, and time each product.

    Args:
        sizes: rows of the matrices, at most 2¹⁴.
        repeats: how many products of each size are timed, after two that are not; at most 2¹⁶.

    Returns:
        The times. A second run gives other numbers: it measures your machine, with all else that it does at the time.

    Raises:
        ValueError: if a size is no integer of at least 1, there is none, or ``repeats`` is out of its range.

    Convention: NumPy's own choice of library and of threads.
    Leaves out: the time to make the matrices.

    Example:
        >>> times = measure_matmul(sizes=[8, 16], repeats=3)
        >>> times.sizes, [len(row) for row in times.times_s]
        ((8, 16), [3, 3])
    """
    rows = each("sizes", sizes, positive_integer)
    if not rows:
        raise ValueError(f"sizes must hold at least one size, got {sizes!r}")
    at_most("sizes", max(rows), MOST_ROWS)
    repeats = at_most("repeats", positive_integer("repeats", repeats), MOST_REPEATS)
    times = tuple(_product_times(n, repeats) for n in rows)
    return MatmulTimes.of_now(rows, times)


def recorded_matmul(path: Path = RECORDED) -> MatmulTimes:
    """Return a measurement that was made once and kept, so that everyone computes with the same numbers.

    Args:
        path: a file that ``MatmulTimes.write`` wrote; by default the book's own.

    Returns:
        The measurement.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it holds no JSON.

    Example:
        >>> recorded_matmul().sizes
        (128, 256, 512, 1024, 2048)
    """
    return MatmulTimes.read(path)


def _product_times(rows: int, repeats: int) -> tuple[float, ...]:
    left, right = np.random.default_rng(0).random((2, rows, rows), dtype=np.float32)
    times = []
    for _ in range(repeats + 2):
        start = time.perf_counter()
        left @ right
        times.append(time.perf_counter() - start)
    return tuple(times[2:])
