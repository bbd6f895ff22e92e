"""What the build refuses in a finished page, and between pages. Nothing here changes anything."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path

from press.links import Link, Map
from press.problems import Problem, line_of

_VERBATIM = {"code", "pre", "math", "svg", "script", "style"}
_NUMBERED_SECTIONS = ("exercises", "check yourself")


class Scan(HTMLParser):
    """Reads a page once: its ids, the dollars left in its text, pictures without alt text, lists that restart.

    ``findings`` holds pairs of a piece of the page's text, by which its source line is found, and a message.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self.ids: set[str] = set()
        self.findings: list[tuple[str, str]] = []
        self._verbatim = 0
        self._heading: list[str] | None = None
        self._section = ""
        self._lists: list[int] = []
        self._next_item = 1
        self._next_exercise = 1
        self._item_to_find = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if "id" in attributes:
            self.ids.add(attributes["id"] or "")
        if tag in _VERBATIM:
            self._verbatim += 1
        elif tag == "img" and not (attributes.get("alt") or "").strip():
            source = attributes.get("src") or ""
            self.findings.append((source, f"a figure without alt text: {source}"))
        elif re.fullmatch("h[1-6]", tag):
            self._heading = []
        elif tag == "ol":
            self._open_list(int(attributes.get("start") or 1))
        elif tag == "ul":
            self._lists.append(0)
        elif tag == "li" and self._lists and self._lists[-1]:
            self._lists[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in _VERBATIM:
            self._verbatim = max(0, self._verbatim - 1)
        elif re.fullmatch("h[1-6]", tag) and self._heading is not None:
            self._close_heading(tag, "".join(self._heading).strip())
        elif tag in ("ol", "ul") and self._lists:
            following = self._lists.pop()
            if not self._lists and following:
                self._next_item = following

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading.append(data)
        if self._item_to_find and data.strip():
            self.findings.append((f"{self._lists[-1] - 1}. {data.strip()[:40]}", self._item_to_find))
            self._item_to_find = ""
        if "$" in data and not self._verbatim:
            here = data[data.index("$") :].split("\n")[0][:30]
            self.findings.append((here, f"a dollar sign is left in the page: {here!r} (write \\$ for money)"))

    def _open_list(self, start: int) -> None:
        if not self._lists and self._section.startswith(_NUMBERED_SECTIONS) and start != self._next_item:
            last = self._next_item - 1
            self._item_to_find = f"the list's numbers restart: it begins at {start}, the one before ended at {last}"
        self._lists.append(start)

    def _close_heading(self, tag: str, text: str) -> None:
        self._heading = None
        if tag == "h2":
            self._section, self._next_item, self._next_exercise = text.lower(), 1, 1
        match = re.match(r"Exercise\s+(\d+)", text)
        if match:
            number = int(match[1])
            if number != self._next_exercise:
                message = f"the exercises' numbers restart: {number} follows {self._next_exercise - 1}"
                self.findings.append((text[:40], message))
            self._next_exercise = number + 1


def page_problems(findings: Iterable[tuple[str, str]], path: str, source: str) -> list[Problem]:
    """Give each finding its line in the page's source."""
    return [Problem(path, line_of(source, piece), message) for piece, message in findings]


def link_problems(
    links: Iterable[Link],
    *,
    path: str,
    source: str,
    root: Path,
    site: Map,
    ids: Mapping[str, Collection[str]],
    made: Collection[str],
) -> list[Problem]:
    """Return the links that lead nowhere.

    Args:
        links: what the page links to.
        path: the page's source, relative to the root.
        source: its text.
        root: the book's folder.
        site: the map of the book.
        ids: for each finished page's source the ids that it holds.
        made: paths of files that the build itself makes.
    """
    problems = []
    for link in links:
        message = _missing(link, root, site, ids, made)
        if message:
            problems.append(Problem(path, line_of(source, link.written), message))
    return problems


def _missing(
    link: Link, root: Path, site: Map, ids: Mapping[str, Collection[str]], made: Collection[str]
) -> str | None:
    if link.path in site.pages:
        if not link.anchor or link.path not in ids or link.anchor in ids[link.path]:
            return None
        if link.path == site.glossary:
            return f"the glossary has no term {link.anchor!r}"
        if link.path == site.references:
            return f"the references have no entry {link.anchor!r}"
        return f"a link leads nowhere: {link.path} has no place named {link.anchor!r}"
    if link.path.startswith("../") or not ((root / link.path).exists() or link.path in made):
        return f"a link leads nowhere: {link.written} (there is no {link.path})"
    if link.path.startswith("chapters/") and link.path.endswith(".md"):
        return f"a link leads nowhere: {link.path} is no page of the site"
    return None


def unlisted_chapters(chapters: Iterable[str], listed: Collection[str]) -> list[Problem]:
    """Return a problem for each chapter that no navigation leads to."""
    message = "the chapter is in no navigation: add it to nav in mkdocs.yml"
    return [Problem(path, 1, message) for path in chapters if path not in listed]
