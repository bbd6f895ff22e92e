"""Reads a chapter: a Jupytext Markdown file, its YAML header, and where each of its cells stands in the file."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from press.problems import Problem
from press.reading.files import Unreadable, read_utf8

CHAPTERS = "chapters"
PART_PAGE = "index.md"
_NAMES_JUPYTER = re.compile(r"^(jupyter|jupytext):", re.MULTILINE)
_PROMISE = re.compile(r"^# .+\n\n((?:[^\n#].*\n)+)\n", re.MULTILINE)
_BETWEEN_CELLS = re.compile(r"\s*$|<!--\s*#(end)?(region|raw|md|markdown)\b.*-->\s*$")


_MINUTES = ("minutes", "exercise_minutes")
_KEYS = (
    *("title", "description", "level", *_MINUTES, "prerequisites", "inputs", "unchecked_numbers", "hide"),
    *("jupyter", "jupytext"),
)
_MOST_MINUTES = 600
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)  # control characters, ends of lines
_SECOND_HEADER = re.compile(r"\s*---[ \t]*\n")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads YAML, and refuses a key that stands twice, of which PyYAML would drop the first in silence.

    It refuses aliases too: a few lines of them name more than any machine can hold.
    """

    def get_single_node(self) -> yaml.Node | None:
        """Return the document's tree, in which each node has one place."""
        tree: yaml.Node | None = super().get_single_node()
        seen: set[int] = set()
        waiting = [tree] if tree else []
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                message = "an alias (*name) is not allowed: write what it stands for"
                raise yaml.constructor.ConstructorError(problem=message, problem_mark=node.start_mark)
            seen.add(id(node))
            if isinstance(node, yaml.MappingNode):
                waiting += [part for pair in node.value for part in pair]
            elif isinstance(node, yaml.SequenceNode):
                waiting += node.value
        return tree

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping of different keys."""
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(problem="a key must be a word", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {key.value!r} stands twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


class BrokenChapter(Exception):
    """A chapter that cannot be read or run; ``problems`` say where and why, ``problem`` is the first."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = list(problems)
        self.problem = problems[0]


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
    def executed_notebook(self) -> Path:
        """Where the executed notebook stands."""
        return self.path.with_suffix(".ipynb")

    @cached_property
    def text(self) -> str:
        """The whole file."""
        try:
            return read_utf8(self.path)
        except Unreadable as error:
            raise self._broken(error.line, error.message) from error

    @cached_property
    def header(self) -> dict[str, Any]:
        """The YAML header: title, description, jupytext's settings, and what else it says."""
        self._check_header_lines()
        try:
            header = front_matter(self.text)[0]
        except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date or number that is none
            mark = getattr(error, "problem_mark", None)
            message = f"the header is not YAML: {getattr(error, 'problem', None) or error}"
            raise self._broken(mark.line + 2 if mark else 1, message) from error
        if not isinstance(header, dict):
            raise self._broken(1, f"the header must be a list of keys with values, got {header!r}")
        if not any(isinstance(header.get(name), dict) for name in ("jupyter", "jupytext")):
            raise self._broken(
                1,
                "the header has no settings for Jupyter, so nothing would be executed: copy jupyter: and what is below "
                f"it from another chapter (every Markdown file in {CHAPTERS}/ but {PART_PAGE} is a chapter)",
            )
        wrong = [Problem(self.name, line, message) for line, message in header_findings(self.text, header)]
        if wrong:
            raise BrokenChapter(*wrong)
        return header

    def _check_header_lines(self) -> None:
        """Refuse a header that is not where Jupytext, MkDocs and the press all look for it."""
        first, *others = self.text.split("\n")
        if not self.text.strip():
            raise self._broken(1, "the file is empty: a chapter begins with a header")
        if first != "---":
            raise self._broken(1, f"a chapter begins with a header, so its first line must be ---, got {_short(first)}")
        if "---" not in others[:-1]:
            raise self._broken(1, "the header is not closed: it ends with a line of --- alone, and the text follows")

    @cached_property
    def promise(self) -> str:
        """The paragraph below the title, ``""`` if there is none."""
        found = _PROMISE.search(_header(self.text)[1])
        return " ".join(found[1].split()) if found else ""

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Patterns, relative to the root, of files that the cells open by path: ``inputs`` in the header."""
        named = self.header.get("inputs", [])
        line = self.line_of_key("inputs")
        patterns = [named] if isinstance(named, str) else named
        if not isinstance(patterns, list) or not all(isinstance(pattern, str) and pattern for pattern in patterns):
            raise self._broken(line, f"inputs must be a list of paths relative to the book's root, got {named!r}")
        for pattern in patterns:
            if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
                raise self._broken(line, f"inputs must lie below the book's root, got {pattern!r}")
            try:
                found = any(path.is_file() for path in self.root.glob(pattern))
            except (ValueError, IndexError, OSError) as error:  # all that pathlib raises for a pattern that is none
                raise self._broken(line, f"inputs has a pattern that is not valid: {pattern!r} ({error})") from error
            if not found:
                raise self._broken(line, f"inputs must name files, and no file of the book matches {pattern!r}")
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

    def line_of_key(self, key: str) -> int:
        """Return the line on which a key of the header stands."""
        return line_of_key(self.text, key)

    def _lost(self, index: int) -> BrokenChapter:
        return self._broken(index + 1, "jupytext reads the cell that begins here in another way than it is written")

    def _broken(self, line: int, message: str) -> BrokenChapter:
        return BrokenChapter(Problem(self.name, line, message))


def read_chapter(path: Path, *, root: Path) -> Chapter:
    """Return the chapter that stands in ``path``."""
    return Chapter(path, root)


def find_chapters(root: Path) -> list[Path]:
    """Return the chapters below ``root``: all that is named ``….md`` in ``chapters/``, but for the parts' pages.

    Whether one can be read shows when it is read.
    """
    return [path for path in files_of_room(root) if path.suffix == ".md" and path.name != PART_PAGE]


def find_part_pages(root: Path) -> list[Path]:
    """Return the pages of the parts, which are not executed: each ``index.md`` in ``chapters/``."""
    return [path for path in files_of_room(root) if path.name == PART_PAGE]


def files_of_room(root: Path) -> list[Path]:
    """Return what lies in ``chapters/``, in order.

    Hidden files and folders do not count: Jupyter keeps copies of what it saves in ``.ipynb_checkpoints``, editors keep
    their locks.
    """
    found = sorted((root / CHAPTERS).rglob("*"))
    return [path for path in found if not any(part.startswith(".") for part in path.relative_to(root).parts)]


def names_jupyter(text: str) -> bool:
    """Whether a Markdown file's header asks for cells to be executed."""
    return bool(_NAMES_JUPYTER.search(_header(text)[0] or ""))


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the YAML header of a Markdown file and the text after it.

    >>> front_matter("---\\ntitle: A\\n---\\ntext")
    ({'title': 'A'}, 'text')
    """
    header, body = _header(text)
    return (read_yaml(header) or {}, body) if header is not None else ({}, text)


def header_findings(text: str, header: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Find what is wrong with a page's header: the line in its text, and a sentence.

    Args:
        text: the whole page.
        header: what its header says.
    """
    for key in ("title", "description", "level"):
        value = header.get(key, "…")
        if not (isinstance(value, str) and says_something(value) and not _UNSEEN.search(value)):
            yield line_of_key(text, key), f"{key} must be some words on one line, got {_short(value)}"
    for key in _MINUTES:
        value = header.get(key, 1)
        if type(value) is not int or not 1 <= value <= _MOST_MINUTES:
            message = f"{key} must be a whole number of minutes from 1 to {_MOST_MINUTES}, got {_short(value)}"
            yield line_of_key(text, key), message
    for key in header.keys() - {*_KEYS}:  # of other programs, unless it is nearly one of these
        if near := difflib.get_close_matches(str(key).casefold().replace("-", "_"), _KEYS, n=1, cutoff=0.8):
            yield line_of_key(text, str(key)), f"the key {key!r} means nothing: write {near[0]!r}"
    hidden = header.get("hide", [])
    if not isinstance(hidden, list) or not all(name in ("navigation", "toc") for name in hidden):
        yield line_of_key(text, "hide"), f"hide must be a list of navigation, toc or both, got {_short(hidden)}"
    body = _header(text)[1]
    if len(body) < len(text) and _SECOND_HEADER.match(body):
        line = 1 + text.count("\n") - body.lstrip().count("\n")
        yield line, "a second header begins here and would be shown as text: a page has one"


def line_of_key(text: str, key: str) -> int:
    """Return the line (from 1) on which a key of a page's header stands; 1 if it has none."""
    return next((number for number, line in enumerate(text.split("\n"), 1) if line.startswith(f"{key}:")), 1)


def says_something(text: str) -> bool:
    """Return whether a text has a letter, a digit or a sign that can be seen.

    >>> says_something("A ring"), says_something("\\u200b \\u00a0")
    (True, False)
    """
    return any(unicodedata.category(sign)[0] in "LNPS" for sign in text)


def read_yaml(text: str) -> Any:
    """Return what stands in a text of YAML; a key that stands twice is an error."""
    return yaml.load(text, Loader=_Loader)


def _header(text: str) -> tuple[str | None, str]:
    """Return the header's own text, ``None`` where there is no header, and the text after it."""
    if not text.startswith("---\n"):
        return None, text
    header, separator, body = text[4:].partition("\n---\n")
    return (header, body) if separator else (None, text)


def _short(value: object) -> str:
    """Return a value for a message, its beginning if it is long."""
    shown = repr(value[:60] if isinstance(value, str) else value)
    return f"{shown[:62]}…" if len(shown) > 62 or shown != repr(value) else shown
