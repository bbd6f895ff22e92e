"""Reads a chapter: a Jupytext Markdown file, its YAML header, and where each of its cells stands in the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from press.problems import Problem

CHAPTERS = "chapters"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NAMES_JUPYTEXT = re.compile(r"^(jupyter|jupytext):", re.MULTILINE)
_BETWEEN_CELLS = re.compile(r"\s*$|<!--\s*#(end)?(region|raw|md|markdown)\b.*-->\s*$")


class BrokenChapter(Exception):
    """A chapter that cannot be read; ``problem`` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True)
class Cell:
    """A cell of a chapter. ``line`` is the line (from 1) of the Markdown file on which its source begins."""

    kind: str
    source: str
    metadata: dict[str, Any] = field(hash=False)
    line: int


@dataclass(frozen=True)
class Chapter:
    """A chapter's file under the book's ``root``, read when first asked for; what is wrong raises ``BrokenChapter``."""

    path: Path
    root: Path

    @property
    def name(self) -> str:
        """The path relative to the root, with forward slashes."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def twin(self) -> Path:
        """Where the executed notebook stands."""
        return self.path.with_suffix(".ipynb")

    @cached_property
    def text(self) -> str:
        """The whole file."""
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise self._broken(1, f"the file cannot be read: {error}") from error

    @cached_property
    def header(self) -> dict[str, Any]:
        """The YAML header: title, description, jupytext's settings, and what else it says."""
        try:
            header = front_matter(self.text)[0]
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            message = f"the header is not YAML: {getattr(error, 'problem', None) or error}"
            raise self._broken(mark.line + 2 if mark else 1, message) from error
        if not isinstance(header, dict):
            raise self._broken(1, f"the header must be a list of keys with values, got {header!r}")
        return header

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Patterns, relative to the root, of files that the cells open by path: ``inputs`` in the header."""
        named = self.header.get("inputs") or []
        patterns = [named] if isinstance(named, str) else named
        if not isinstance(patterns, list) or not all(isinstance(pattern, str) and pattern for pattern in patterns):
            raise self._broken(1, f"inputs must be a list of paths relative to the book's root, got {named!r}")
        for pattern in patterns:
            if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
                raise self._broken(1, f"inputs must lie below the book's root, got {pattern!r}")
        return tuple(patterns)

    @cached_property
    def notebook(self) -> Any:
        """The notebook without outputs, as Jupytext reads it; the ids of its cells are their numbers."""
        import jupytext

        assert (
            self.header is not None
        )  # read first: it tells a fault of the header, with its line, better than jupytext
        try:
            notebook = jupytext.reads(self.text, fmt="md")
        except Exception as error:  # whatever jupytext and its parsers raise, the file is what is wrong
            raise self._broken(1, f"jupytext cannot read the file: {type(error).__name__}: {error}") from error
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"cell-{number}"
        return notebook

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells with their places. Jupytext does not give the places, so they are found and verified here."""
        lines = self.text.split("\n")
        cells, position = [], 0
        for number, cell in enumerate(self.notebook.cells):
            if number == 0 and cell.cell_type == "raw" and lines[0] == "---":
                start, position = 0, lines.index("---", 1) + 1
            elif cell.cell_type == "code":
                start, position = self._place_code(cell.source, lines, position)
            else:
                start, position = self._place_text(cell.source, lines, position)
            cells.append(Cell(cell.cell_type, cell.source, dict(cell.metadata), start + 1))
        for index in range(position if cells else len(lines), len(lines)):
            if not _BETWEEN_CELLS.match(lines[index]):
                raise self._lost(index)
        return tuple(cells)

    def _place_code(self, source: str, lines: list[str], position: int) -> tuple[int, int]:
        """Return the index of a code cell's first line and the index after its closing fence."""
        while position < len(lines) and _BETWEEN_CELLS.match(lines[position]):
            position += 1
        start = position + 1
        body = source.split("\n") if source or lines[start : start + 1] == [""] else []
        if source.startswith("%%") and lines[start : start + 1] != body[:1]:
            start, body = position, body[1:]  # below ```bash, jupytext puts a first line %%bash
        end = position + 1 + len(body)
        opening = re.match("`{3,}", lines[position]) if end < len(lines) else None
        if opening and lines[position + 1 : end] == body and lines[end].rstrip() == opening[0]:
            return start, end + 1
        raise self._lost(position)

    def _place_text(self, source: str, lines: list[str], position: int) -> tuple[int, int]:
        """Return the index of a text cell's first line and the index after its last one."""
        wanted = source.split("\n") if source else []
        while position < len(lines):
            end = position + len(wanted)
            if lines[position:end] == wanted:
                return position, end
            if not _BETWEEN_CELLS.match(lines[position]):
                break
            position += 1
        if not wanted:
            return position, position
        raise self._lost(position)

    def _lost(self, index: int) -> BrokenChapter:
        return self._broken(index + 1, "jupytext reads the cell that begins here in another way than it is written")

    def _broken(self, line: int, message: str) -> BrokenChapter:
        return BrokenChapter(Problem(self.name, line, message))


def read_chapter(path: Path, *, root: Path) -> Chapter:
    """Return the chapter that stands in ``path``."""
    return Chapter(path, root)


def find_chapters(root: Path) -> list[Path]:
    """Return the chapters below ``root``: the Markdown files of ``chapters/`` whose header names Jupyter or Jupytext.

    Hidden files and folders do not count: Jupyter keeps copies of what it saves in ``.ipynb_checkpoints``.
    """
    found = []
    for path in sorted((root / CHAPTERS).rglob("*.md")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if not hidden and path.is_file():
            header = _header(path.read_text(encoding="utf-8", errors="replace"))[0]
            if header is not None and _NAMES_JUPYTEXT.search(header):
                found.append(path)
    return found


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the YAML header of a Markdown file and the text after it.

    >>> front_matter("---\\ntitle: A\\n---\\ntext")
    ({'title': 'A'}, 'text')
    """
    header, body = _header(text)
    return (yaml.load(header, Loader=_LOADER) or {}, body) if header is not None else ({}, text)


def _header(text: str) -> tuple[str | None, str]:
    """Return the header's own text, ``None`` where there is no header, and the text after it."""
    if not text.startswith("---\n"):
        return None, text
    header, separator, body = text[4:].partition("\n---\n")
    return (header, body) if separator else (None, text)
