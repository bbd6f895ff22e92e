"""Puts into pages what is collected from the book: the chapters of a part, the whole book, letters, labs, a formula.

A link titled ``collected: name`` that is alone on its line leads, in the repository, to what is collected. On the site
the list, or the formula of the function of that name, stands in its place.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from press.reading.chapter import BrokenChapter, Chapter
from press.reading.contents import Entry, Part
from press.reading.links import moved
from press.reading.notation import letters_of

LISTS = ("chapters", "book", "map", "letters", "labs", "planner", "measured", "exam", "traces", "slides")
_LINK = re.compile(r'^\[[^\]]*\]\([^)\s]+ "collected: (?P<name>\w+)"\) *$', re.MULTILINE)


def lists_asked(text: str) -> list[str]:
    """Return the names of the lists that a page asks for.

    >>> lists_asked('[The chapters](../contents.yml "collected: chapters")')
    ['chapters']
    """
    return _LINK.findall(text)


def expand_collected(text: str, lists: Mapping[str, str], report: Callable[[str, str], None]) -> str:
    """Put each list in the place of the link that asks for it.

    Args:
        text: Markdown.
        lists: the lists, by name.
        report: called with the link and a message where there is no such list.
    """

    def listed(match: re.Match[str]) -> str:
        if match["name"] in lists:
            return lists[match["name"]]
        allowed = f"{', '.join(LISTS)} or a formula's function"
        report(match[0].strip(), f"collected must be one of {allowed}, got {match['name']!r}")
        return match[0]

    return _LINK.sub(listed, text)


def chapters_of_part(part: Part, chapters: Mapping[str, Chapter]) -> str:
    """Return the table of a part's chapters as its page shows it.

    Args:
        part: the part.
        chapters: the book's written chapters, by path.
    """
    rows = []
    for entry in part.chapters:
        level, promise = _level_and_promise(chapters.get(entry.path))
        rows.append((_link(entry.title, entry.path, part.page) + level, entry.question, promise))
    return _table(("chapter", "its question", "its promise"), rows)


def _level_and_promise(chapter: Chapter | None) -> tuple[str, str]:
    """Return level with times, and promise, of a chapter that is written and can be read."""
    with suppress(BrokenChapter):
        if chapter:
            header = chapter.header
            exercises = f", {header['exercise_minutes']} min of exercises" if "exercise_minutes" in header else ""
            read = f"{header.get('minutes', '?')} min to read"
            return f"<br>{header.get('level', '')}, {read}{exercises}", chapter.promise
    return "", ""


def whole_book(parts: Iterable[Part], pages: Iterable[str], here: str) -> str:
    """Return the table of all parts and chapters.

    Args:
        parts: the parts, in order.
        pages: the parts' pages that there are.
        here: the page on which the table stands.
    """
    rows = []
    for part in parts:
        title = _link(part.title, part.page, here) if part.page in pages else part.title
        rows.append((f"**{title}**", f"**{part.question}**"))
        rows += [(_link(entry.title, entry.path, here), entry.question) for entry in part.chapters]
    return _table(("chapter", "its question"), rows)


def all_letters(entries: Iterable[Entry], chapters: Mapping[str, Chapter], here: str) -> str:
    """Return the letters of all chapters that have some, each chapter's below a heading that links to it."""
    pieces = []
    for entry in entries:
        with suppress(BrokenChapter):
            if entry.path in chapters and (found := letters_of(chapters[entry.path].text)):
                table = moved(found.table, entry.path, here)
                pieces.append(f"### {_link(entry.title, entry.path, here)}\n\n{table}")
    return "\n\n".join(pieces)


def all_decks(parts: Iterable[Part], decks: Mapping[str, str], here: str) -> str:
    """Return a line for each part with links to its chapters' slides.

    Args:
        parts: the parts, in order.
        decks: where the slides stand on the site, by their chapters' paths.
        here: the page on which the list stands; its folder is the site's root.
    """
    lines = []
    for part in parts:
        links = [
            _link(entry.title, f"{posixpath.dirname(here)}/{decks[entry.path]}", here)
            for entry in part.chapters
            if entry.path in decks
        ]
        if links:
            lines.append(f"- **{part.title}:** {', '.join(links)}")
    return "\n".join(lines)


def _link(text: str, path: str, here: str) -> str:
    return f"[{text}]({posixpath.relpath(path, posixpath.dirname(here))})"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows))
