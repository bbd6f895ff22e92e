"""Simulators: what one core of this machine reaches in copies, sums and matrix products, now or as it was recorded."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snippets.domain import at_most, each, number_between, one_of, positive_integer
from snippets.foundations.recorded_run import read_run, write_run
from snippets.foundations.roofline import cpu_timing

RECORDED = Path(__file__).with_name("cpu_roofline_recorded.json")
_ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


@dataclass(frozen=True)
class TimedOperation:
    """One operation and the seconds that it took, in the order in which it was timed.

    Attributes:
        name: what it is; a product has its shape, m × k × n.
        kind: ``"copy"``, ``"element-wise"``, ``"square"`` or ``"layer"``.
        flops: floating-point operations.
        memory_bytes: bytes that it reads or writes if it touches each number once.
        times_s: seconds of each repetition.

    >>> TimedOperation("a + b", "element-wise", 10, 120, (2e-9, 1e-9)).flops_per_s
    10000000000.0
    """

    name: str
    kind: str
    flops: int
    memory_bytes: int
    times_s: tuple[float, ...]

    @property
    def time_s(self) -> float:
        """The shortest time: what else a machine does can only lengthen one."""
        return min(self.times_s)

    @property
    def flops_per_s(self) -> float:
        """Operations a second in the shortest time."""
        return self.flops / self.time_s

    @property
    def bytes_per_s(self) -> float:
        """Bytes of ``memory_bytes`` a second in the shortest time."""
        return self.memory_bytes / self.time_s

    @property
    def flops_per_byte(self) -> float:
        """The arithmetic intensity."""
        return self.flops / self.memory_bytes


@dataclass(frozen=True)
class CpuRun:
    """Operations timed on one core.

    Attributes:
        machine: processor, cores and operating system.
        versions: of Python, NumPy and the linear algebra library.
        date: when it was timed, as year-month-day.
        operations: what was timed.

    >>> copy = TimedOperation("copy", "copy", 0, 8, (1.0,))
    >>> product = TimedOperation("2 × 2 × 2", "square", 16, 48, (0.5,))
    >>> run = CpuRun("a machine", "", "2026-01-01", (copy, product))
    >>> run.bandwidth_bytes_per_s, run.peak_flops_per_s
    (8.0, 32.0)
    """

    machine: str
    versions: str
    date: str
    operations: tuple[TimedOperation, ...]

    @property
    def bandwidth_bytes_per_s(self) -> float:
        """The memory ceiling: what a long copy reaches."""
        return max(timed.bytes_per_s for timed in self.operations if timed.kind == "copy")

    @property
    def peak_flops_per_s(self) -> float:
        """The compute ceiling: the highest rate of all that was timed."""
        return max(timed.flops_per_s for timed in self.operations)

    def named(self, name: str) -> TimedOperation:
        """Return the operation of a name.

        >>> CpuRun("", "", "", (TimedOperation("copy", "copy", 0, 8, (1.0,)),)).named("copy").bytes_per_s
        8.0
        """
        known = {timed.name: timed for timed in self.operations}
        return known[one_of("name", name, known.keys())]


def measure_cpu(
    *,
    length: int = cpu_timing.LENGTH,
    sides: Sequence[int] = cpu_timing.SIDES,
    batches: Sequence[int] = cpu_timing.BATCHES,
    layer: int = cpu_timing.LAYER,
    repeats: int = 9,
    timeout_s: float = 300.0,
) -> CpuRun:
    """Time copies, sums and matrix products of float32 on one core of this machine.

    Args:
        length: numbers of the long arrays; let them be well above what the caches hold, at most 2²⁸.
        sides: of the square products, each at most 2¹³.
        batches: rows of the products with a layer's weights, each at most 2¹³.
        layer: rows and columns of these weights, at most 2¹³.
        repeats: how often each is timed, at most 1,000.
        timeout_s: longest wait, from 1 second to a day.

    Returns:
        The operations with all their times. A second run gives others: it times your machine, with all else that it
        does at the time.

    Raises:
        ValueError: if an argument is above its limit, or no integer of at least 1.
        subprocess.SubprocessError: if the timing fails or takes too long.

    Convention: a copy counts what it reads and what it writes. One thread, float32, in a process of its own.
    Leaves out: what caches save or cost; the bytes are those of each number touched once.

    Example:
        >>> run = measure_cpu(length=1000, sides=[8], batches=[1], layer=16, repeats=2)
        >>> [timed.name for timed in run.operations]
        ['copy', 'a + b', 'a · b', '8 × 8 × 8', '1 × 16 × 16']
    """
    sizes = {
        "length": at_most("length", positive_integer("length", length), 2**28),
        "sides": [at_most("sides", side, 2**13) for side in each("sides", sides, positive_integer)],
        "batches": [at_most("batches", rows, 2**13) for rows in each("batches", batches, positive_integer)],
        "layer": at_most("layer", positive_integer("layer", layer), 2**13),
        "repeats": at_most("repeats", positive_integer("repeats", repeats), 1000),
    }
    timeout_s = number_between("timeout_s", timeout_s, low=1, high=86_400)
    ran = subprocess.run(
        [sys.executable, str(cpu_timing.__file__), json.dumps(sizes)],
        env={**os.environ, **_ONE_THREAD},
        capture_output=True,
        check=True,
        text=True,
        timeout=timeout_s,
    )
    return CpuRun(_machine(), _versions(), time.strftime("%Y-%m-%d"), _operations(json.loads(ran.stdout)))


def recorded_cpu(path: Path = RECORDED) -> CpuRun:
    """Return times that were taken once and kept, so that everyone computes with the same numbers.

    Args:
        path: a file that ``write_cpu`` wrote; by default the book's own.

    Returns:
        The run.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it holds no JSON.

    Example:
        >>> recorded_cpu().operations[0].name
        'copy'
    """
    kept = read_run(path)
    return CpuRun(kept["machine"], kept["versions"], kept["date"], _operations(kept["operations"]))


def write_cpu(run: CpuRun, path: Path) -> None:
    """Write a run as JSON, its times to four digits.

    Args:
        run: what ``measure_cpu`` returned.
        path: the file.

    Raises:
        OSError: if the file cannot be written.

    Example:
        >>> from os import devnull
        >>> write_cpu(CpuRun("m", "v", "2026-01-01", ()), Path(devnull))
    """
    if not isinstance(run, CpuRun):
        raise TypeError(f"run must be a CpuRun, got {run!r}")
    rows = [
        {**vars(timed), "times_s": [float(f"{seconds:.4g}") for seconds in timed.times_s]} for timed in run.operations
    ]
    write_run({"machine": run.machine, "versions": run.versions, "date": run.date, "operations": rows}, path)


def _operations(kept: list[dict[str, object]]) -> tuple[TimedOperation, ...]:
    return tuple(TimedOperation(**{**entry, "times_s": tuple(entry["times_s"])}) for entry in kept)  # type: ignore[arg-type]


def _machine() -> str:
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def _versions() -> str:
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"Python {platform.python_version()}, NumPy {np.__version__}, {blas['name']} {blas['version']}"
