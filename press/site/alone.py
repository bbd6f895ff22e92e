"""Makes the pages that show one live figure alone, for slides, blogs and course pages: ``live/<name>/``.

Each is what stands in the figure's chapter, without the site around it: the finished figure is taken out of the
chapter's HTML, its links are led from there, and below it stands where it comes from. Its script, ``alone.js`` in
``docs/javascripts/live``, gives it its palette and tells the page around it how high it is.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from press.making.live import alone_address
from press.reading.links import scheme
from press.site.policy import with_policy

LICENCE = "https://creativecommons.org/licenses/by-sa/4.0/"
STYLES = ("assets/palette.css", "stylesheets/figure.css", "stylesheets/alone.css")
MATH_STYLE = "assets/math.css"
_FIGURE = re.compile(
    r'<figure class="book-figure live" id="(?P<id>[^"]*)" data-module="[^"]*" data-name="(?P<name>\w+)"'
    r' data-title="(?P<title>[^"]*)" .*?</figure>',
    re.DOTALL,
)
_TOOLS = re.compile(r'(<p class="live-tools"><span class="live-spoken" role="status"></span>).*?</p>', re.DOTALL)
_LINK = re.compile(r'<a (?P<before>[^>]*?)href="(?P<href>[^"]*)"')
_NEW_TAB = 'target="_blank" rel="noopener"'


@dataclass(frozen=True)
class Shown:
    """A live figure as a finished chapter shows it: its name, and title, place and element as HTML."""

    name: str
    title: str
    id: str
    element: str


def live_in(page: str) -> Iterator[Shown]:
    """Yield the live figures of a finished page."""
    for figure in _FIGURE.finditer(page):
        yield Shown(figure["name"], figure["title"], figure["id"], figure[0])


def alone_page(shown: Shown, chapter: str, heading: str, book: str, *, site: str, host: str, serving: bool) -> str:
    """Return the page of a live figure alone.

    Args:
        shown: the figure.
        chapter: the address of its chapter, relative to the site's root.
        heading: the chapter's first heading, ``13 · Ring and tree``.
        book: the book's name.
        site: where the site is published, ``""`` if nobody has said so.
        host: where the runtime comes from, ``""`` for the site itself.
        serving: whether MkDocs will add its own inline script.
    """
    root = posixpath.relpath(".", alone_address(shown.name)) + "/"
    styles = [*STYLES, *([MATH_STYLE] if "<math" in shown.element else [])]
    links = "".join(f'<link rel="stylesheet" href="{root}{style}">' for style in styles)
    canonical = f'<link rel="canonical" href="{html.escape(f"{site}{chapter}")}">' if site else ""
    number, separator, name = heading.partition(" · ")
    cited = f"<cite>{html.escape(name if separator else heading, quote=False)}</cite>"
    where = f"From chapter {html.escape(number)}, {cited}," if separator else f"From {cited},"
    title, of = html.escape(book), f"of {html.escape(book, quote=False)}"
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{shown.title} · {title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f'{canonical}<link rel="icon" href="{root}assets/favicon.svg">{links}'
        f'<script src="{root}javascripts/live/alone.js"></script></head>'
        '<body class="md-typeset" data-pagefind-ignore="all"><main>'
        f"<h1>{shown.title}</h1>{_moved(shown.element, root, chapter)}"
        f'<p class="live-from"><a href="{root}{chapter}#{shown.id}" {_NEW_TAB}>{where} {of}</a>'
        f' · <a href="{LICENCE}" target="_blank" rel="license noopener">CC BY-SA 4.0</a></p></main>'
        f'<script src="{root}javascripts/book.js"></script></body></html>\n'
    )
    return with_policy(page, scripts=(), bases=(), host=host, serving=serving)


def _moved(element: str, root: str, chapter: str) -> str:
    """Return a chapter's figure so that it can stand elsewhere, without the tools that are for the chapter."""

    def led(link: re.Match[str]) -> str:
        href = html.unescape(link["href"])
        inside = scheme(href) is None
        target = _resolved(href, root, chapter) if inside else href
        return f'<a {link["before"]}href="{html.escape(target)}" {_NEW_TAB}'

    moved = _LINK.sub(led, _TOOLS.sub(r"\1</p>", element))
    return moved.replace(' class="book-figure live"', f' class="book-figure live" data-beside="{root}{chapter}"', 1)


def _resolved(href: str, root: str, chapter: str) -> str:
    """Return a link of a chapter's as a page alone has to write it.

    >>> _resolved("../22-zero/#x", "../../", "memory/21-memory-equation/")
    '../../memory/22-zero/#x'
    """
    target, mark, anchor = href.partition("#")
    place = posixpath.normpath(posixpath.join(chapter, target)) + "/" * (target.endswith("/") or not target)
    return f"{root}{place}{mark}{anchor}"
