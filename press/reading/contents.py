"""Reads the book's table of contents, ``chapters/contents.yml``: its parts and chapters in order, planned ones too.

A chapter is written when its file exists. Its title there is the same, and everything else it says itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from press.problems import Problem, Refused, line_of
from press.reading.chapter import CHAPTERS, PART_PAGE, BrokenChapter, Chapter, read_yaml
from press.reading.files import Unreadable, read_utf8
from press.reading.outline import number_of

PATH = f"{CHAPTERS}/contents.yml"


@dataclass(frozen=True)
class Entry:
    """A chapter of the book: its file relative to the root, its title with its number, its question, other names."""

    path: str
    title: str
    question: str
    also: str = ""


@dataclass(frozen=True)
class Part:
    """A part of the book: its page relative to the root, its title, its question, its chapters."""

    page: str
    title: str
    question: str
    chapters: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """The name of its folder, in every room."""
        return self.page.split("/")[1]


def read_contents(root: Path) -> tuple[Part, ...]:
    """Return the parts of the book under ``root``, none if it has no table of contents.

    Raises:
        Refused: the file cannot be read, or something in it is not as it should be.
    """
    if not (root / PATH).exists():
        return ()
    text = ""
    try:
        text = read_utf8(root / PATH)
        found = read_yaml(text)
        return tuple(_part(name, said) for name, said in _mapping("the file", found).items())
    except Unreadable as error:
        raise Refused([Problem(PATH, error.line, error.message)]) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        message = f"the table of contents is not YAML: {getattr(error, 'problem', None) or error}"
        raise Refused([Problem(PATH, mark.line + 1 if mark else 1, message)]) from error
    except _Wrong as error:
        raise Refused([Problem(PATH, line_of(text, f"{error.key}:"), str(error))]) from error


class _Wrong(Exception):
    """Something in the file is not as it should be; ``key`` is where."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key} {message}")
        self.key = key


def _part(name: str, said: Any) -> Part:
    given = _fields(name, said, ("title", "question", "chapters"))
    chapters = _mapping(f"chapters of {name}", given["chapters"])
    entries = tuple(_entry(name, file, entry) for file, entry in chapters.items())
    return Part(f"{CHAPTERS}/{name}/{PART_PAGE}", _text(name, given, "title"), _text(name, given, "question"), entries)


def _entry(part: str, file: str, said: Any) -> Entry:
    path = f"{CHAPTERS}/{part}/{file}.md"
    number = number_of(path)
    if number is None:
        raise _Wrong(file, "must begin with its number, as 05-alpha-beta or a1-linear-algebra does")
    given = _fields(file, said, ("title", "question"), optional=("also",))
    also = _text(file, given, "also") if "also" in given else ""
    return Entry(path, f"{number} · {_text(file, given, 'title')}", _text(file, given, "question"), also)


def _fields(key: str, said: Any, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> Mapping[str, Any]:
    given = _mapping(key, said)
    if set(given) - set(optional) != set(names):
        raise _Wrong(key, f"must have {', '.join(names)}, got {', '.join(given) or 'nothing'}")
    return given


def _mapping(key: str, said: Any) -> Mapping[str, Any]:
    if not isinstance(said, dict) or not all(isinstance(name, str) for name in said):
        raise _Wrong(key, f"must be a list of keys with values, got {said!r}")
    return said


def _text(key: str, given: Mapping[str, Any], name: str) -> str:
    if not isinstance(given[name], str) or not given[name].strip():
        raise _Wrong(key, f"must have a {name} of some words, got {given[name]!r}")
    return str(given[name]).strip()


def title_problems(parts: tuple[Part, ...], chapters: Mapping[str, Chapter]) -> list[Problem]:
    """Return a problem for each written chapter whose title is another one in the table of contents."""
    problems = []
    for entry in (entry for part in parts for entry in part.chapters if entry.path in chapters):
        chapter = chapters[entry.path]
        with suppress(BrokenChapter):  # told when the chapter is executed
            if (title := chapter.header.get("title")) != entry.title:
                message = f"the title is {title!r}, but {entry.title!r} in {PATH}"
                problems.append(Problem(entry.path, chapter.line_of_key("title"), message))
    return problems


def prerequisite_problems(parts: tuple[Part, ...], chapters: Mapping[str, Chapter]) -> list[Problem]:
    """Return a problem for each chapter that needs what is no chapter of the table of contents.

    A chapter is named by its address, ``memory/22-zero``, in its own part by its file alone, or by a path to the file.
    """
    known = {_address(entry.path, "") for part in parts for entry in part.chapters}
    problems = []
    for path, chapter in chapters.items():
        with suppress(BrokenChapter):  # told when the chapter is executed
            needed = chapter.header.get("prerequisites", [])
            names = needed if isinstance(needed, list) and all(isinstance(one, str) for one in needed) else None
            unknown = [one for one in names or () if _address(one, Path(path).parent.name) not in known]
            if names is None or (unknown and known):
                got = f"no chapter of {PATH}: {', '.join(map(repr, unknown))}" if names else repr(needed)
                message = f"prerequisites must be a list of chapters, [memory/22-zero], got {got}"
                problems.append(Problem(path, chapter.line_of_key("prerequisites"), message))
    return problems


def _address(name: str, part: str) -> str:
    """Return a chapter's part and file, however it is named."""
    short = name.removeprefix(f"{CHAPTERS}/").removeprefix("../").removesuffix(".md")
    return short if "/" in short else f"{part}/{short}"
