"""What the build knows of each exercise: read from its module in a process of its own, and kept until it changes.

An exercise's record has its number, level and texts, and the cases that a page's judge is given: its inputs, which are
drawn here, once, and what a right answer shows on each.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, NamedTuple

from grader.catalogue import declares
from press.children import NICE, cores
from press.kept import read_kept, write_kept
from press.problems import Problem
from press.running.freshness import Freshness

Record = Mapping[str, Any]
DOOR = "grader.page"
CASES = "cases.json"
GRADER = Path(__file__).parents[2]
_HOW = Path(__file__).read_bytes()


class _Reading(NamedTuple):
    """A process that reads exercises, and the files that it writes to."""

    paths: list[Path]
    process: subprocess.Popen[bytes]
    written: IO[str]
    errors: IO[str]

    def texts(self) -> tuple[str, str]:
        """Return what it wrote, and what it wrote to the error stream."""
        found = []
        for file in (self.written, self.errors):
            file.seek(0)
            found.append(file.read())
            file.close()
        return found[0], found[1]


def _end(readings: Iterable[_Reading]) -> None:
    for reading in readings:
        reading.process.kill()
        reading.process.wait()


class ExerciseRecords:
    """The records of a book's exercises, by their modules' paths from its root; what cannot be loaded is a problem.

    Reading begins at once, in processes of low priority, beside which the build goes on until it asks for a record.
    """

    def __init__(self, root: Path, freshness: Freshness | None = None) -> None:
        self._root = root
        self._freshness = freshness or Freshness(root)
        self._folder = root / ".press" / "exercises"
        self._problems: list[Problem] = []
        paths = [path for path in sorted(root.glob("exercises/*/*/*.py")) if declares(path)]
        self._kept_in = {path: self._folder / self._digest(path) for path in paths}
        self._contents = {path: read_kept(file) for path, file in self._kept_in.items()}
        missing = [path for path, content in self._contents.items() if content is None]
        self._reading = [self._begun(part) for first in range(cores()) if (part := missing[first :: cores()])]
        weakref.finalize(self, _end, self._reading)

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the exercises' modules."""
        assert self.by_path is not None  # all have been read
        return self._problems

    @functools.cached_property
    def by_path(self) -> dict[str, Record]:
        """The records, by the paths of the exercises' modules from the root."""
        for path, record in self._described():
            cases = json.dumps(record["cases"])  # as text, for only an archive needs them
            self._contents[path] = json.dumps({**record, "cases": cases}, sort_keys=True).encode()
            write_kept(self._kept_in[path], self._contents[path] or b"")
        self._sweep({file.name for file in self._kept_in.values()})
        return {
            path.relative_to(self._root).as_posix(): json.loads(content)
            for path, content in self._contents.items()
            if content is not None
        }

    def _digest(self, path: Path) -> str:
        """Return the digest of all that a record depends on: the module, the modules that it reaches, the grader."""
        reached = self._freshness.reached([_import_of(path, self._root), "import grader.described"])
        total = sha256(f"{sys.version_info[:2]}".encode() + _HOW)
        for file in [path, *reached, self._root / "requirements.txt"]:
            total.update(self._freshness.content(file))
        return total.hexdigest()[:40]

    def _begun(self, paths: list[Path]) -> _Reading:
        """Begin to read exercises in a process of its own; files take what it writes, however long nobody asks."""
        how: Any = {"mode": "w+", "encoding": "utf-8", "errors": "replace"}
        written, errors = tempfile.TemporaryFile(**how), tempfile.TemporaryFile(**how)  # noqa: SIM115 - read when asked
        process = subprocess.Popen(
            [sys.executable, "-m", "grader.described", *map(str, paths)],
            cwd=self._root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(self._root), str(GRADER)])},
            stdout=written,
            stderr=errors,
        )
        if hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        return _Reading(paths, process, written, errors)

    def _described(self) -> Iterator[tuple[Path, Record]]:
        """Wait for the processes, and yield what they have read."""
        for reading in self._reading:
            reading.process.wait()
            yield from self._taken_in(reading)

    def _taken_in(self, reading: _Reading) -> Iterator[tuple[Path, Record]]:
        """Yield the records that a process has written, and remember what it could not read."""
        written, errors = reading.texts()
        lines = [json.loads(line) for line in written.splitlines()]
        for line in lines:
            if record := line.get("record"):
                yield Path(line["path"]), record
            else:
                fault = line["fault"]
                self._refuse(Path(fault["file"]), fault["line"], f"the exercise cannot be read: {fault['message']}")
        if len(lines) < len(reading.paths):
            last = (errors.strip().splitlines() or [f"exit status {reading.process.returncode}"])[-1]
            self._refuse(reading.paths[len(lines)], 1, f"reading the exercise ended the process: {last}")

    def _refuse(self, file: Path, line: int, message: str) -> None:
        name = file.relative_to(self._root).as_posix() if file.is_relative_to(self._root) else str(file)
        self._problems.append(Problem(name, line, message))

    def _sweep(self, used: set[str]) -> None:
        for file in self._folder.glob("*"):
            if file.name not in used:
                file.unlink(missing_ok=True)

    def chapters(self, pages: Iterable[str]) -> dict[str, list[Record]]:
        """Return for each page that asks exercises their records, in the order of their numbers."""
        found = {}
        for page in pages:
            address = address_of(page)
            mine = [record for record in self.by_path.values() if record["address"] == address]
            if mine:
                found[page] = sorted(mine, key=lambda record: record["number"])
        return found

    def page_files(self, address: str) -> dict[str, Path | bytes]:
        """Return the files with which a chapter's page judges, by their names in an archive: modules and cases."""
        paths = [path for path, record in self.by_path.items() if record["address"] == address and not record["takes"]]
        files = self._modules([_import_of(self._root / path, self._root) for path in paths])
        for path in paths:
            files[path.removesuffix(".py") + f".{CASES}"] = self.by_path[path]["cases"].encode()
        return files

    def common_files(self) -> dict[str, Path | bytes]:
        """Return those of them that the pages of all chapters need."""
        return self._modules([])

    def _modules(self, sources: list[str]) -> dict[str, Path | bytes]:
        reached = self._freshness.reached([*sources, f"import {DOOR}"])
        return {file.relative_to(self._root).as_posix(): file for file in reached if file.is_file()}


def _import_of(path: Path, root: Path) -> str:
    return "import " + ".".join(path.relative_to(root).with_suffix("").parts)


def address_of(page: str) -> str:
    """Return the folder of a chapter's exercises.

    >>> address_of("chapters/collectives/13-ring-and-tree.md")
    'collectives/ring_and_tree'
    """
    part, name = Path(page).parts[-2:]
    return f"{part}/{name.removesuffix('.md').partition('-')[2].replace('-', '_')}"
