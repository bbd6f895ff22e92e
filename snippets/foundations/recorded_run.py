"""Simulators: measurements of this machine, and the file in which one is kept: JSON, an entry or a row on each line."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from snippets.domain import text

_UNITS_PER_S = {"us": 1e6, "tenths_of_us": 1e7}


def this_machine() -> str:
    """Return the processor's kind, the operating system and the version of Python.

    Example:
        >>> this_machine().count(", ")
        2
    """
    return f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}"


@dataclass(frozen=True)
class Measurement:
    """Times of one thing at several sizes, each repeated. A file keeps them in whole units of ``unit``.

    Attributes:
        machine: processor, operating system and Python.
        date: when it was measured, as year-month-day.
        sizes: what was measured.
        times_s: for each size its times in the order in which they were taken.

    Example:
        >>> Measurement("a machine", "2026-01-01", (1, 1000), ((3e-6, 1e-6, 2e-6), (4e-6, 5e-6, 9e-6))).medians_s
        (2e-06, 5e-06)
    """

    machine: str
    date: str
    sizes: tuple[int, ...]
    times_s: tuple[tuple[float, ...], ...]

    sizes_name: ClassVar[str] = "sizes"
    unit: ClassVar[str] = "us"

    @classmethod
    def of_now(cls, sizes: tuple[int, ...], times_s: tuple[tuple[float, ...], ...]) -> Self:
        """Return times that this machine took today.

        Example:
            >>> Measurement.of_now((8,), ((2e-6,),)).machine == this_machine()
            True
        """
        return cls(this_machine(), time.strftime("%Y-%m-%d"), sizes, times_s)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the measurement that ``write`` wrote.

        Raises:
            OSError: if the file cannot be read.
            ValueError: if it holds no JSON.
        """
        kept, scale = read_run(path), _UNITS_PER_S[cls.unit]
        times = tuple(tuple(units / scale for units in row) for row in kept[f"times_in_{cls.unit}"])
        return cls(kept["machine"], kept["date"], tuple(kept[cls.sizes_name]), times)

    def write(self, path: Path) -> None:
        """Write the measurement as JSON, its times in whole units.

        Raises:
            OSError: if the file cannot be written.

        Example:
            >>> from os import devnull
            >>> Measurement("m", "2026-01-01", (1,), ((2e-6,),)).write(Path(devnull))
            >>> from tempfile import TemporaryDirectory
            >>> with TemporaryDirectory() as folder:
            ...     Measurement("m", "2026-01-01", (1,), ((2e-6,),)).write(Path(folder) / "run.json")
            ...     Measurement.read(Path(folder) / "run.json").times_s
            ((2e-06,),)
        """
        times = [[round(seconds * _UNITS_PER_S[self.unit]) for seconds in row] for row in self.times_s]
        entries = {"machine": self.machine, "date": self.date, self.sizes_name: self.sizes}
        write_run({**entries, f"times_in_{self.unit}": times}, path)

    @property
    def medians_s(self) -> tuple[float, ...]:
        """The median time of each size."""
        return tuple(statistics.median(times) for times in self.times_s)


def read_run(path: Path) -> dict[str, Any]:
    """Return the entries that ``write_run`` wrote.

    Args:
        path: the file.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it holds no JSON.

    Example:
        >>> from snippets.foundations.alpha_beta.loopback import RECORDED
        >>> read_run(RECORDED)["date"]
        '2026-11-21'
    """
    entries: dict[str, Any] = json.loads(_path(path).read_text(encoding="utf-8"))
    return entries


def write_run(entries: Mapping[str, Any], path: Path) -> None:
    """Write entries to a file; one that is a list of lists or of dictionaries has a line for each of them.

    The file is there as a whole or as it was, however the writing ends.

    Args:
        entries: what JSON can hold, by name.
        path: the file.

    Raises:
        OSError: if the file cannot be written.

    Example:
        >>> from os import devnull
        >>> write_run({"date": "2026-01-01"}, Path(devnull))
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_run({"rows": [[1, 2], [3]]}, Path(folder) / "run.json")
        ...     read_run(Path(folder) / "run.json")["rows"]
        [[1, 2], [3]]
    """
    if not isinstance(entries, Mapping):
        raise TypeError(f"entries must go from names to values, got {entries!r:.100}")
    lines = [f" {json.dumps(text('entries', name))}: {_written(value)}" for name, value in entries.items()]
    whole = "{\n" + ",\n".join(lines) + "\n}\n"
    if _path(path).exists() and not path.is_file():  # a device or a pipe, which is not replaced
        path.write_text(whole, encoding="utf-8")
        return
    draft = path.with_name(f".{os.getpid()}.tmp")  # as grader.whole_files, which this package may not import
    try:
        draft.write_text(whole, encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _written(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(row, list | dict) for row in value):
        rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
        return f"[\n  {rows}\n ]"
    return json.dumps(value, ensure_ascii=False)


def _path(path: Path) -> Path:
    if not isinstance(path, Path):
        raise TypeError(f"path must be a pathlib.Path, got {path!r}")
    return path
