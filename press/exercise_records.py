"""What the build knows of each exercise: read from its module in a process of its own, and kept until it changes.

An exercise's record has its number, level and texts, and the cases that a page's judge is given: its inputs, which are
drawn here, once, and what a right answer shows on each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

from grader.catalogue import declares
from press.children import cores
from press.freshness import Freshness
from press.kept import read_kept, write_kept
from press.problems import Problem

Record = Mapping[str, Any]
DOOR = "grader.page"
CASES = "cases.json"
GRADER = Path(__file__).parents[1]
_HOW = Path(__file__).read_bytes()


class ExerciseRecords:
    """The records of a book's exercises, by their modules' paths from its root; what cannot be loaded is a problem."""

    def __init__(self, root: Path, freshness: Freshness | None = None) -> None:
        self._root = root
        self._freshness = freshness or Freshness(root)
        self._folder = root / ".press" / "exercises"
        self.problems: list[Problem] = []
        self.by_path = self._read()

    def _read(self) -> dict[str, Record]:
        paths = [path for path in sorted(self._root.glob("exercises/*/*/*.py")) if declares(path)]
        kept_in = {path: self._folder / self._digest(path) for path in paths}
        contents = {path: read_kept(file) for path, file in kept_in.items()}
        missing = [path for path, content in contents.items() if content is None]
        for path, record in self._described(missing):
            cases = json.dumps(record["cases"])  # as text, for only an archive needs them
            contents[path] = json.dumps({**record, "cases": cases}, sort_keys=True).encode()
            write_kept(kept_in[path], contents[path] or b"")
        self._sweep({file.name for file in kept_in.values()})
        return {
            path.relative_to(self._root).as_posix(): json.loads(content)
            for path, content in contents.items()
            if content is not None
        }

    def _digest(self, path: Path) -> str:
        """Return the digest of all that a record depends on: the module, the modules that it reaches, the grader."""
        reached = self._freshness.reached([_import_of(path, self._root), "import grader.described"])
        total = sha256(f"{sys.version_info[:2]}".encode() + _HOW)
        for file in [path, *reached, self._root / "requirements.txt"]:
            total.update(self._freshness.content(file))
        return total.hexdigest()[:40]

    def _described(self, paths: list[Path]) -> Iterator[tuple[Path, Record]]:
        """Read exercises, in as many processes as there are cores."""
        if not paths:
            return
        parts = [paths[first :: cores()] for first in range(min(cores(), len(paths)))]
        with ThreadPoolExecutor(len(parts)) as pool:
            for part, done in zip(parts, pool.map(self._describe, parts), strict=True):
                yield from self._taken_in(part, done)

    def _describe(self, paths: list[Path]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "grader.described", *map(str, paths)],
            cwd=self._root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(self._root), str(GRADER)])},
            capture_output=True,
            text=True,
            check=False,
        )

    def _taken_in(self, paths: list[Path], done: subprocess.CompletedProcess[str]) -> Iterator[tuple[Path, Record]]:
        """Yield the records that a process has written, and remember what it could not read."""
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for line in lines:
            if record := line.get("record"):
                yield Path(line["path"]), record
            else:
                fault = line["fault"]
                self._refuse(Path(fault["file"]), fault["line"], f"the exercise cannot be read: {fault['message']}")
        if len(lines) < len(paths):
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            self._refuse(paths[len(lines)], 1, f"reading the exercise ended the process: {last}")

    def _refuse(self, file: Path, line: int, message: str) -> None:
        name = file.relative_to(self._root).as_posix() if file.is_relative_to(self._root) else str(file)
        self.problems.append(Problem(name, line, message))

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
