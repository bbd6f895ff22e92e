"""What the build refuses in a finished page, and between pages. Nothing here changes anything."""

from __future__ import annotations

import html
import os
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path

from press.problems import Problem
from press.reading.allowed import refusals, style_refusals
from press.reading.chapter import says_something
from press.reading.links import Link, Map, scheme
from press.reading.markup import line_in_prose

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_VERBATIM = {"code", "pre", "math", "svg", "script", "style"}
_BEGINS_A_TAG = re.compile(r"<[A-Za-z/!?]")
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
        self._styled = False
        self._heading: list[str] | None = None
        self._permalink = False
        self._section = ""
        self._lists: list[int] = []
        self._next_item = 1
        self._next_exercise = 1
        self._exercises: set[int] = set()
        self._item_to_find = ""
        self.feed(page)
        if _BEGINS_A_TAG.match(self.rawdata) and not self.rawdata.startswith("<!--"):  # the end leaves it open
            self._refuse_reading(self.rawdata[:30])
        self.close()

    def updatepos(self, i: int, j: int) -> int:
        """Count no lines of the page: nobody asks for them, and counting takes a tenth of the time."""
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        written = self.get_starttag_text() or tag
        self.findings += [(piece or written, message) for piece, message in refusals(tag, attrs)]
        self._styled = tag == "style"
        if "id" in attributes:
            self._take(attributes["id"] or "")
        if tag == "div" and attributes.get("class") == "footnote":
            self._section = ""  # whose list is none of the section that it follows
        if tag in _VERBATIM:
            self._verbatim += 1
        elif tag == "img" and not says_something(html.unescape(attributes.get("alt") or "")):
            source = attributes.get("src") or ""
            self.findings.append((source, f"a figure without alt text: {source}"))
        elif tag in _HEADINGS:
            self._heading = []
        elif tag == "a" and attributes.get("class") == "headerlink":
            self._permalink = True
        elif tag == "ol":
            self._open_list(attributes.get("start") or "1")
        elif tag == "ul":
            self._lists.append(0)
        elif tag == "li" and self._lists and self._lists[-1]:
            self._lists[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        self._styled = False
        if tag in _VERBATIM:
            self._verbatim = max(0, self._verbatim - 1)
        elif tag == "a":
            self._permalink = False
        elif tag in _HEADINGS and self._heading is not None:
            self._close_heading(tag, "".join(self._heading).strip())
        elif tag in ("ol", "ul") and self._lists:
            following = self._lists.pop()
            if not self._lists and following:
                self._next_item = following

    def handle_data(self, data: str) -> None:
        if self._heading is not None and not self._permalink:
            self._heading.append(data)
        if begun := _BEGINS_A_TAG.search(data):
            self._refuse_reading(data[begun.start() :].split("\n")[0][:30])
        if self._styled:
            self.findings += [(data[:30], message) for message in style_refusals(data)]
        if self._item_to_find and data.strip():
            self.findings.append((f"{self._lists[-1] - 1}. {data.strip()[:40]}", self._item_to_find))
            self._item_to_find = ""
        if "$" in data and not self._verbatim:
            here = data[data.index("$") :].split("\n")[0][:30]
            self.findings.append((here, f"a dollar sign is left in the page: {here!r} (write \\$ for money)"))

    def handle_comment(self, data: str) -> None:
        if data.startswith((">", "->")) or "--!>" in data:  # where a browser's comment ends
            self._refuse_reading(f"<!--{data[:30]}")

    def handle_decl(self, decl: str) -> None:
        self._refuse_reading(f"<!{decl[:30]}")

    def handle_pi(self, data: str) -> None:
        self._refuse_reading(f"<?{data[:30]}")

    def unknown_decl(self, data: str) -> None:
        self._refuse_reading(f"<![{data[:30]}")

    def _refuse_reading(self, written: str) -> None:
        """Refuse what browsers may read in another way than this parser, so that a tag could hide there."""
        message = (
            f"what stands here is neither text nor a tag that is closed (a < in a text is written &lt;): {written}"
        )
        self.findings.append((written, message))

    def _take(self, name: str) -> None:
        if name in self.ids and not self._verbatim:
            self.findings.append((name, f"the id {name!r} stands twice in the page"))
        self.ids.add(name)

    def _open_list(self, written: str) -> None:
        if not re.fullmatch(r"-?\d{1,9}", written):
            self.findings.append((f"{written}", f"a list must begin with a whole number, got start={written!r}"))
            written = "1"
        start = int(written)
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
            elif number in self._exercises:
                self.findings.append((text[:40], f"exercise {number} stands twice in the page"))
            self._exercises.add(number)
            self._next_exercise = number + 1


def page_problems(findings: Iterable[tuple[str, str]], path: str, source: str) -> list[Problem]:
    """Give each finding its line in the page's source."""
    return [Problem(path, line_in_prose(source, piece), message) for piece, message in findings]


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
            problems.append(Problem(path, line_in_prose(source, link.written or _without_target(source)), message))
    return problems


def _without_target(source: str) -> str:
    """Return how a link without a target is written in a page that has one."""
    return next(
        (written for written in ("]()", "href=''", 'href=""', "src=''", 'src=""') if written in source), "](<>)"
    )


def _missing(
    link: Link, root: Path, site: Map, ids: Mapping[str, Collection[str]], made: Collection[str]
) -> str | None:
    if not link.path:
        return _no_target(link)
    if link.path in site.planned and not link.embedded:
        return None
    if link.path in site.pages:
        if link.embedded:
            return f"a page cannot be shown as a picture: {link.written}"
        if not link.anchor or link.path not in ids or link.anchor in ids[link.path]:
            return None
        if link.path == site.glossary:
            return f"the glossary has no term {link.anchor!r}"
        if link.path == site.references:
            return f"the references have no entry {link.anchor!r}"
        return f"a link leads nowhere: {link.path} has no place named {link.anchor!r}"
    if link.path.startswith("../") or not (os.path.exists(root / link.path) or link.path in made):
        return f"a link leads nowhere: {link.written} (there is no {link.path})"
    page = f"{link.path.removesuffix('.ipynb')}.md"
    if link.path.endswith(".ipynb") and page in site.pages:
        return f"the notebook {link.written} is made by the build and stands beside its page: link to {page}"
    if link.path.startswith("chapters/") and link.path.endswith(".md"):
        return f"a link leads nowhere: {link.path} is no page of the site"
    if link.embedded and not link.path.startswith(f"{posixpath.dirname(site.glossary)}/"):
        return f"the site has no file {link.path}: what a page shows must lie in {posixpath.dirname(site.glossary)}/"
    return None


def _no_target(link: Link) -> str:
    if not link.written:
        return "a link without a target"
    if scheme(link.written) is None:
        return f"a link must be relative to the file that it stands in, got {link.written}"
    if link.embedded:
        return f"a page may load nothing from another site, got {link.written[:60]}"
    return f"a link to another site begins with https:, http: or mailto:, got {link.written[:60]}"


def name_problems(chapters: Iterable[str]) -> list[Problem]:
    """Return a problem for each file of ``chapters/`` whose path cannot be an address as it is.

    >>> [str(problem) for problem in name_problems(["chapters/a/01-b.md", "chapters/a/A b.md"])]
    ["chapters/a/A b.md:1: a chapter's path has lower-case letters, digits and hyphens alone, and ends in .md"]
    """
    message = "a chapter's path has lower-case letters, digits and hyphens alone, and ends in .md"
    return [Problem(path, 1, message) for path in chapters if not re.fullmatch(r"[a-z0-9-]+(?:/[a-z0-9-]+)*\.md", path)]


def address_problems(pages: Iterable[str]) -> list[Problem]:
    """Return a problem for each page whose address on the site another one has.

    >>> [str(problem) for problem in address_problems(["docs/a.md", "chapters/a/index.md"])]
    ['docs/a.md:1: chapters/a/index.md has the same address on the site']
    """
    taken: dict[str, str] = {}
    problems = []
    for page in sorted(pages):
        place = page.partition("/")[2].removesuffix(".md").casefold()
        place = re.sub(r"(?:^|/)(?:index|readme)$", "", place)
        if place in taken:
            problems.append(Problem(page, 1, f"{taken[place]} has the same address on the site"))
        taken.setdefault(place, page)
    return problems


def unlisted_chapters(chapters: Iterable[str], listed: Collection[str]) -> list[Problem]:
    """Return a problem for each chapter that no navigation leads to."""
    message = "the chapter is in no navigation: add it to chapters/contents.yml"
    return [Problem(path, 1, message) for path in chapters if path not in listed]
