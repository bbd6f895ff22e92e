"""Links between the book's files: written relative in the repository, led to pages or to the source, checked."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

_ATTRIBUTE = re.compile(r'(?P<before><(?P<tag>a|img)\b[^>]*?\b(?:href|src)=")(?P<target>[^"]*)(?P<after>"[^>]*>)')
_OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    """A link as it is written in the source, and what it leads to: a path of the repository and a place in it."""

    written: str
    path: str
    anchor: str


@dataclass(frozen=True)
class Map:
    """Where things are: the site's address of each page, by its source, and where other files can be read."""

    pages: Mapping[str, str]
    source_url: str
    glossary: str = "docs/glossary.md"
    references: str = "docs/references.md"


def rewrite(
    page: str, path: str, site: Map, tooltips: Mapping[str, str], own: Collection[str] = ()
) -> tuple[str, list[Link]]:
    """Lead every relative link of a page to where it stands on the site, and list what has to exist for it.

    Args:
        page: HTML.
        path: the page's source, relative to the root, for instance ``chapters/background/a1-linear-algebra.md``.
        site: the map of the book.
        tooltips: the glossary: the definition of each term by its anchor.
        own: names of files that the press puts beside the page.
    """
    links: list[Link] = []

    def led(match: re.Match[str]) -> str:
        written = html.unescape(match["target"])
        if _OUTSIDE.match(written):
            return match[0]
        if written in own:
            return match[0].replace("<a ", "<a download ", 1)
        link = _link(written, path)
        links.append(link)
        before, after = match["before"], match["after"]
        if link.path == site.glossary and link.path != path:
            tip = html.escape(tooltips.get(link.anchor, ""), quote=True)
            before = before.replace("<a ", f'<a class="term" title="{tip}" ', 1)
        elif link.path == site.references and link.path != path:
            before = before.replace("<a ", '<a class="source" ', 1)
        return before + html.escape(_address(link, path, site), quote=True) + after

    return _ATTRIBUTE.sub(led, page), links


def _link(written: str, path: str) -> Link:
    target, _, anchor = written.partition("#")
    target = unquote(target.partition("?")[0])
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
    return Link(written, resolved, unquote(anchor))


def _address(link: Link, path: str, site: Map) -> str:
    anchor = f"#{link.anchor}" if link.anchor else ""
    if link.path == path:
        return anchor or "."
    if link.path in site.pages:
        return _relative(site.pages[link.path], site.pages[path]) + anchor
    if link.path.startswith("docs/"):
        return _relative(link.path.removeprefix("docs/"), site.pages[path]) + anchor
    return site.source_url + link.path + anchor


def _relative(target: str, page: str) -> str:
    """Return the way from one address of the site to another, both relative to its root; a page's ends in a slash.

    >>> _relative("notation/", "background/a1/")
    '../../notation/'
    >>> _relative("", "background/")
    '../'
    """
    way = posixpath.relpath(target or ".", page or ".")
    return way + "/" if target.endswith("/") or not target else way
