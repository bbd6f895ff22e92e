"""Reads a chapter: a Jupytext Markdown file, its YAML header, and where each of its cells stands in the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

CHAPTERS = "chapters"


@dataclass(frozen=True)
class Cell:
    """A cell of a chapter. ``line`` is the line (from 1) of the Markdown file on which its source begins."""

    kind: str
    source: str
    metadata: dict[str, Any] = field(hash=False)
    line: int


@dataclass(frozen=True)
class Chapter:
    """A chapter's file under the book's ``root``."""

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
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def header(self) -> dict[str, Any]:
        """The YAML header: title, description, jupytext's settings, and what else it says."""
        return front_matter(self.text)[0]

    @cached_property
    def notebook(self) -> Any:
        """The notebook without outputs, as Jupytext reads it; the ids of its cells are their numbers."""
        import jupytext

        notebook = jupytext.reads(self.text, fmt="md")
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"cell-{number}"
        return notebook

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells with their places."""
        lines = self.text.splitlines()
        cells = []
        start = 0
        for cell in self.notebook.cells:
            place = _place(cell, lines, start)
            start = place + len(cell.source.splitlines())
            cells.append(Cell(cell.cell_type, cell.source, dict(cell.metadata), place + 1))
        return tuple(cells)


def _place(cell: Any, lines: list[str], start: int) -> int:
    """Return the index of the line on which the cell's source begins, at ``start`` or later.

    Jupytext does not say where a cell stood, so its lines are looked for, those of a code cell below a fence.
    """
    source = cell.source.splitlines() or [""]
    for index in range(start, len(lines)):
        fenced = cell.cell_type != "code" or (index > 0 and lines[index - 1].lstrip().startswith("```"))
        if fenced and lines[index : index + len(source)] == source:
            return index
    return start


def read_chapter(path: Path, *, root: Path) -> Chapter:
    """Return the chapter that stands in ``path``."""
    return Chapter(path, root)


def find_chapters(root: Path) -> list[Path]:
    """Return the chapters below ``root``: the Markdown files of ``chapters/`` whose header names Jupytext."""
    files = sorted((root / CHAPTERS).rglob("*.md"))
    return [path for path in files if "jupytext" in front_matter(path.read_text(encoding="utf-8"))[0]]


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the YAML header of a Markdown file and the text after it.

    >>> front_matter("---\\ntitle: A\\n---\\ntext")
    ({'title': 'A'}, 'text')
    """
    if not text.startswith("---\n"):
        return {}, text
    header, separator, body = text[4:].partition("\n---\n")
    return (yaml.load(header, Loader=_LOADER) or {}, body) if separator else ({}, text)


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
