"""Simulators: the file in which a measurement of this machine is kept: JSON, an entry or a row on each line."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snippets.domain import text


def this_machine() -> str:
    """Return the processor's kind, the operating system and the version of Python.

    Example:
        >>> this_machine().count(", ")
        2
    """
    return f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}"


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
    _path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _written(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(row, list | dict) for row in value):
        rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
        return f"[\n  {rows}\n ]"
    return json.dumps(value, ensure_ascii=False)


def _path(path: Path) -> Path:
    if not isinstance(path, Path):
        raise TypeError(f"path must be a pathlib.Path, got {path!r}")
    return path
