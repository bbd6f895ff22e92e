"""Holds the names of the files in ``chapters/`` to the book's order: one number a chapter, the same in its title."""

from __future__ import annotations

import re
from pathlib import Path

from press.problems import Problem
from press.reading.chapter import (
    PART_PAGE,
    BrokenChapter,
    files_of_room,
    find_chapters,
    find_part_pages,
    names_jupyter,
    read_chapter,
)
from press.reading.files import Unreadable, read_utf8

_LIKE_MARKDOWN = {".md", ".markdown", ".mdown", ".mkd"}
_NUMBER_OF_FILE = re.compile(r"[a-z]?\d+(?=-)")
_NUMBER_OF_TITLE = re.compile(r"[A-Z]?\d+(?= ·)")


def number_of(path: str) -> str | None:
    """Return a chapter's number, as its file's name gives it.

    >>> number_of("chapters/foundations/05-alpha-beta.md"), number_of("chapters/background/a1-linear-algebra.md")
    ('5', 'A1')
    """
    found = _NUMBER_OF_FILE.match(path.rpartition("/")[2])
    return (found[0].lstrip("0") or "0").upper() if found else None


def outline_problems(root: Path) -> list[Problem]:
    """Return what is wrong with names, numbers and parts' pages; a chapter that cannot be read is its reader's."""
    problems = [problem for path in find_part_pages(root) for problem in _part_page_problems(path, root)]
    numbered: dict[str, str] = {}
    for path in files_of_room(root):
        if path.suffix != ".md" and path.suffix.lower() in _LIKE_MARKDOWN:
            message = f"a chapter's file must be named ….md to be executed, got {path.name!r}"
            problems.append(Problem(path.relative_to(root).as_posix(), 1, message))
    for path in find_chapters(root):
        name = path.relative_to(root).as_posix()
        number = number_of(name)
        if number is None:
            continue
        problems += _title_problems(path, number, root)
        if number in numbered:
            problems.append(
                Problem(name, 1, f"there are two chapters {number}: {numbered[number]} has this number too")
            )
        numbered.setdefault(number, name)
    return problems


def _title_problems(path: Path, number: str, root: Path) -> list[Problem]:
    """Return a problem if a chapter's title has a number and it is not the file's."""
    chapter = read_chapter(path, root=root)
    try:
        found = _NUMBER_OF_TITLE.match(str(chapter.header.get("title", "")))
    except BrokenChapter:
        return []
    if found is None or found[0].lstrip("0") == number:
        return []
    line = chapter.line_of_key("title")
    return [Problem(chapter.name, line, f"the title's number is {found[0]}, that of the file's name {number}")]


def _part_page_problems(path: Path, root: Path) -> list[Problem]:
    """Return a problem if a part's page cannot be read or asks to be executed."""
    name = path.relative_to(root).as_posix()
    try:
        text = read_utf8(path)
    except Unreadable as error:
        return [Problem(name, error.line, error.message)]
    if names_jupyter(text):
        return [Problem(name, 1, f"{PART_PAGE} is a part's page and is not executed: give a chapter another name")]
    return []
