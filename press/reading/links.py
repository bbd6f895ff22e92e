"""Links between the book's files: written relative in the repository, led to pages or to the source, checked."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

_TAG = re.compile(
    r"<(?P<tag>a|area|audio|img|input|source|track|video)(?P<attributes>(?=[\s/])(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?P<name>[^\s=<>\"'/]+)(?:\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'>]+)))?"
)
_SCHEME = re.compile(r"(?:(?P<scheme>[a-z][a-z0-9+.-]*):|//)", re.IGNORECASE)
_SCHEMES = {"http", "https", "mailto"}
_MARKDOWN = re.compile(r"(?<=\]\()[^)\s#][^)\s]*")
_IN_TEXT = re.compile(r"(?<!!)\[([^\]]*)\]\((?![a-z]+:)([^)\s]+)\)")
_PLANNED = re.compile(r"<a\b[^>]*? data-planned[^>]*>(?P<text>.*?)</a>", re.DOTALL)
_UNLINKED = re.compile(r'<a\b[^>]*? data-file="(?P<path>[^"]*)"[^>]*>(?P<text>.*?)</a>', re.DOTALL)


@dataclass(frozen=True)
class Link:
    """A link as it is written in the source, and what it leads to: a path of the repository and a place in it.

    The path is empty where the link leads to nothing that could be one. What is ``embedded`` the page itself loads.
    """

    written: str
    path: str
    anchor: str
    embedded: bool = False


@dataclass(frozen=True)
class Map:
    """Where things are: the address of each page on the site, by its source, and where other files are, if anywhere.

    ``planned`` are the chapters that are still to be written: a link to one is shown as planned.
    """

    pages: Mapping[str, str]
    source_url: str
    glossary: str = "docs/glossary.md"
    references: str = "docs/references.md"
    planned: tuple[str, ...] = ()


def rewrite(
    page: str, path: str, site: Map, tooltips: Mapping[str, str], own: Collection[str] = ()
) -> tuple[str, list[Link]]:
    """Lead every relative link of a page to where it stands on the site, and list what has to exist for it.

    Where no source can be read, a link to a file of the repository becomes the file's path, to be found by the reader.

    Args:
        page: HTML.
        path: the page's source, relative to the root, for instance ``chapters/background/a1-linear-algebra.md``.
        site: the map of the book.
        tooltips: the glossary: the definition of each term by its anchor.
        own: names of files that the press puts beside the page.
    """
    links: list[Link] = []

    def tag_led(tag: re.Match[str]) -> str:
        opening = [f"<{tag['tag']}"]

        def led(attribute: re.Match[str]) -> str:
            if attribute["name"].lower() not in ("href", "src", "poster"):
                return attribute[0]
            values = (attribute["double"], attribute["single"], attribute["bare"])
            written = html.unescape(next((value for value in values if value is not None), ""))
            if written in own:
                opening.append(" download" * (tag["tag"].lower() == "a" and written.endswith(".ipynb")))
                return attribute[0]
            link = _link(written, path, embedded=attribute["name"].lower() != "href")
            if link is None:
                return attribute[0]
            links.append(link)
            if not link.path:
                return attribute[0]
            if tag["tag"].lower() == "a" and link.path in site.planned:
                return "data-planned"
            if tag["tag"].lower() == "a" and not site.source_url and _is_source(link, path, site):
                return f'data-file="{html.escape(link.path, quote=True)}"'
            if link.path == site.glossary and link.path != path:
                tip = html.escape(tooltips.get(link.anchor, ""), quote=True)
                opening.append(f' class="term" title="{tip}"')
            elif link.path == site.references and link.path != path:
                opening.append(' class="source"')
            return f'{attribute["name"]}="{html.escape(_address(link, path, site), quote=True)}"'

        attributes = _ATTRIBUTE.sub(led, tag["attributes"])
        return "".join([*opening, attributes, ">"])

    page = _PLANNED.sub(r'<span class="planned">\g<text> <small>planned</small></span>', _TAG.sub(tag_led, page))
    return _UNLINKED.sub(_named, page), links


def led_out(text: str, path: str, site: Map, *, root: Path, site_url: str) -> str:
    """Lead the relative links of a chapter's Markdown to the web, for a copy that stands outside of the book's folder.

    Args:
        text: Markdown.
        path: the chapter's source, relative to the root.
        site: the map of the book.
        root: the book's folder; what is no file there is no link.
        site_url: where the site is, with the slash at its end.
    """

    def led(match: re.Match[str]) -> str:
        link = _link(match[0], path, embedded=False)
        if link and link.path in site.planned:
            return site_url  # the home page says what it will be about
        inside = link and link.path and not link.path.startswith("..") and (root / link.path).is_file()
        if not link or not inside or link.path.endswith(".ipynb"):  # a notebook's link to itself
            return match[0]
        anchor = f"#{link.anchor}" if link.anchor else ""
        if not _is_source(link, path, site):
            return site_url + site.pages.get(link.path, link.path.removeprefix("docs/")) + anchor
        return site.source_url + link.path + anchor if site.source_url else match[0]

    return _MARKDOWN.sub(led, text)


def moved(text: str, path: str, to: str) -> str:
    """Return the Markdown of one file so that its links hold in another; both stand relative to the root.

    >>> moved("[ZeRO](22-zero.md#x), [here](#y)", "chapters/memory/22.md", "docs/notation.md")
    '[ZeRO](../chapters/memory/22-zero.md#x), [here](../chapters/memory/22.md#y)'
    """

    def led(match: re.Match[str]) -> str:
        target, mark, anchor = match[2].partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
        return f"[{match[1]}]({posixpath.relpath(place, posixpath.dirname(to))}{mark}{anchor})"

    return _IN_TEXT.sub(led, text)


def _named(match: re.Match[str]) -> str:
    """Return a file's path in place of a link to it, behind the link's text if that is more than the file's name."""
    path, text = match["path"], match["text"]
    name = posixpath.basename(path)
    if re.sub(r"<[^>]*>", "", text) in {path, name, posixpath.splitext(name)[0]}:
        return f"<code>{path}</code>"
    return f"{text} (<code>{path}</code>)"


def scheme(written: str) -> str | None:
    """Return the scheme with which a link leaves the site, as browsers read it; ``None`` if it is relative.

    >>> scheme("https://example.org"), scheme(" java\\tscript:x"), scheme("//example.org"), scheme("a/b.md")
    ('https', 'javascript', '', None)
    """
    read = _SCHEME.match(re.sub(r"[\t\n\r]", "", written).lstrip("".join(map(chr, range(33)))))
    return (read["scheme"] or "").lower() if read else None


def _link(written: str, path: str, *, embedded: bool) -> Link | None:
    """Return what has to exist for a link, ``None`` if it leads to another site, or to a picture in itself."""
    outside = scheme(written)
    if (embedded and outside == "data") or (not embedded and outside in _SCHEMES):
        return None
    if outside is not None or not written or written.startswith("/"):
        return Link(written, "", "", embedded)
    target, _, anchor = written.partition("#")
    target = unquote(target.partition("?")[0])
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
    return Link(written, resolved, unquote(anchor), embedded)


def _address(link: Link, path: str, site: Map) -> str:
    anchor = f"#{link.anchor}" if link.anchor else ""
    if _is_source(link, path, site):
        return site.source_url + link.path + anchor
    if link.path == path:
        return anchor or "."
    if link.path in site.pages:
        return _relative(site.pages[link.path], site.pages[path]) + anchor
    if link.path.startswith("docs/"):
        return quote(_relative(link.path.removeprefix("docs/"), site.pages[path])) + anchor
    return site.source_url + quote(link.path) + anchor


def _is_source(link: Link, path: str, site: Map) -> bool:
    """Tell whether a link leads to a file that the site does not have."""
    return link.path != path and link.path not in site.pages and not link.path.startswith("docs/")


def _relative(target: str, page: str) -> str:
    """Return the way from one address of the site to another, both relative to its root; a page's ends in a slash.

    >>> _relative("notation/", "background/a1/")
    '../../notation/'
    >>> _relative("", "background/")
    '../'
    """
    way = posixpath.relpath(target or ".", page or ".")
    return way + "/" if target.endswith("/") or not target else way
