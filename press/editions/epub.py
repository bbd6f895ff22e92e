"""Makes an EPUB of printable pages: a file for each, as XHTML with MathML and SVG, and what EPUB 3 asks for besides.

Python's zipfile writes it. EbookLib, the library that is kept, parses each page as HTML and writes it anew, which loses
the namespaces of MathML and the case of SVG's names.
"""

from __future__ import annotations

import html
import re
import uuid
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from bs4 import Tag

from grader.whole_files import whole_file
from press.editions.imprint import imprint, state
from press.editions.index import TITLE as INDEX
from press.editions.index import index_section
from press.editions.printed import ANSWERS, COVER, Edition, Printed, answers_opening, headed, notes_section, xhtml
from press.making.mathematics import FONT_FILE, FONT_NAME

STYLE = Path(__file__).parents[1] / "templates" / "print" / "epub.css"
FONT = "fonts/math.woff2"
LICENCE = "fonts/LICENCE.txt"
_COVER_IMAGE = "assets/cover.png"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_KINDS = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
_NAMESPACES = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en"'
_CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
_ACCESS = {
    "accessMode": ("textual", "visual"),
    "accessModeSufficient": ("textual",),
    "accessibilityFeature": ("alternativeText", "MathML", "structuralNavigation", "tableOfContents"),
    "accessibilityHazard": ("none",),
    "accessibilitySummary": ("Formulas are MathML, figures have alternative texts.",),
}


@dataclass(frozen=True)
class _Item:
    """A file of the EPUB: its name, its content, what the manifest says of it, its line of the contents."""

    name: str
    content: bytes
    kind: str
    properties: str = ""
    title: str = ""
    level: int = 0  # 0: not in the contents
    read: bool = False  # whether it is in the order of reading


def write_epub(edition: Edition, output: Path, *, modified: datetime) -> int:
    """Write the whole book as EPUB 3.

    Args:
        edition: the book; its pages are linked.
        output: the file.
        modified: when it was made, which the EPUB says.

    Returns:
        How many pages it has.
    """
    pages = _pages(edition)
    items = [*pages, *_pictures(edition), *_fonts(edition)]
    items.append(_Item("book.css", STYLE.read_bytes(), "text/css"))
    items.append(_Item("nav.xhtml", _navigation(edition, pages), "application/xhtml+xml", "nav"))
    package = _package(edition, items, modified).encode()
    with whole_file(output) as draft, zipfile.ZipFile(draft, "w") as archive:
        _add(archive, "mimetype", b"application/epub+zip", zipfile.ZIP_STORED)
        _add(archive, "META-INF/container.xml", _CONTAINER.encode())
        _add(archive, "book/content.opf", package)
        for item in items:
            _add(archive, f"book/{item.name}", item.content)
    return len(pages)


def _add(archive: zipfile.ZipFile, name: str, content: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = how
    archive.writestr(entry, content)


def _pages(edition: Edition) -> list[_Item]:
    """Return all pages in their order: title, imprint, parts and chapters, solutions, the reference, the index."""
    files: dict[str, str] = {}
    parts: list[tuple[str, Tag, str, int]] = []
    for page in edition.pages:
        parts.append((f"{page.name}.xhtml", _noted(page), page.title, page.level))
    answered = [page for page in edition.pages if page.answers]
    if answered:
        parts.append(("solutions.xhtml", answers_opening(), ANSWERS, 1))
    for page in answered:
        if page.answers:
            parts.append((f"{page.name}-solutions.xhtml", headed(page.answers, page.title), page.title, 2))
    for page in edition.last:
        parts.append((f"{page.name}.xhtml", _noted(page), page.title, page.level))
    if edition.index:
        said = "The numbers are those of chapters, and lead to the place; at a bold one, read first."
        index = index_section(edition.index, lambda place: place.chapter, said)
        index["epub:type"] = "index"
        parts.append(("index.xhtml", index, INDEX, 1))
    for name, body, _, _ in parts:
        files |= {str(found["id"]): name for found in [body, *body.find_all(id=True)] if found.get("id")}
    opening = {"title": _title_page(edition), "imprint": _document("Imprint", xhtml(imprint(edition)), "imprint.xhtml")}
    items = [_Item(f"{name}.xhtml", page, "application/xhtml+xml", read=True) for name, page in opening.items()]
    for name, body, title, at in parts:
        content = _document(title, _linked(body, name, files), name)
        uses = [kind for kind, sign in (("mathml", b"<math"), ("svg", b"<svg")) if sign in content]
        items.append(_Item(name, content, "application/xhtml+xml", " ".join(uses), title, at, True))
    return items


def _noted(page: Printed) -> Tag:
    if notes := notes_section(page):
        notes["epub:type"] = "endnotes"
        page.body.append(notes)
    return page.body


def _linked(body: Tag, name: str, files: Mapping[str, str]) -> str:
    """Return a page's XHTML with links that say in which file their anchor stands."""
    for found in body.find_all("a", href=re.compile("^#")):
        anchor = str(found["href"])[1:]
        there = files[anchor]
        found["href"] = f"#{anchor}" if there == name else f"{there}#{anchor}"
        if "note" in (found.get("class") or []):
            found["epub:type"] = "noteref"
    for picture in body.find_all("img"):
        picture["src"] = f"pictures/{picture['src']}"
    return xhtml(body)


def _document(title: str, body: str, name: str) -> bytes:
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html {_NAMESPACES}><head><meta charset="UTF-8"/>'
        f'<title>{html.escape(title)}</title><link rel="stylesheet" type="text/css" href="book.css"/></head>'
        f"<body>{body}</body></html>\n"
    )
    try:
        ET.fromstring(text)
    except ET.ParseError as error:
        raise ValueError(f"{name} is not well-formed, so the page that it is made of is not: {error}") from error
    return text.encode()


def _title_page(edition: Edition) -> bytes:
    said = [edition.description, edition.author, state(edition)]
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in said if line)
    cover = f'<p><img src="pictures/cover.svg" alt="{html.escape(edition.cover)}"/></p>'
    body = f'<section class="title-page">{cover}<h1>{html.escape(edition.title)}</h1>{lines}</section>'
    return _document(edition.title, body, "title.xhtml")


def _pictures(edition: Edition) -> list[_Item]:
    items = [_Item("pictures/cover.png", (edition.site / _COVER_IMAGE).read_bytes(), "image/png", "cover-image")]
    drawing = (edition.site / COVER).read_text(encoding="utf-8")
    drawing = drawing[drawing.index("<svg") :]  # without a document type, of which EPUB allows few
    items.append(_Item("pictures/cover.svg", drawing.encode(), "image/svg+xml"))
    for page in edition.all:
        for name, path in page.pictures.items():
            items.append(_Item(f"pictures/{name}", path.read_bytes(), _KINDS[path.suffix]))
    return items


def _fonts(edition: Edition) -> list[_Item]:
    """Return the font for mathematics as the site has it, and its licence, as the font itself says it."""
    return [
        _Item(FONT, (edition.site / "assets" / "math.woff2").read_bytes(), "font/woff2"),
        _Item(LICENCE, _font_licence().encode(), "text/plain"),
    ]


def _font_licence() -> str:
    from fontTools.ttLib import TTFont

    package = find_spec("ziamath")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("ziamath, which carries the font, is not installed: pip install -r requirements.txt")
    names = TTFont(Path(package.origin).parent / "fonts" / FONT_FILE, lazy=True)["name"]
    said = [names.getDebugName(number) or "" for number in (0, 13, 14)]
    return "\n\n".join([f"{FONT_NAME}, cut to the characters of this book", *said]) + "\n"


def _navigation(edition: Edition, pages: list[_Item]) -> bytes:
    lines: list[str] = []
    level = 0
    for page in pages:
        if not page.level:
            continue
        at = min(page.level, level + 1)
        lines.append("<ol>" * (at - level) if at > level else "</li>" + "</ol></li>" * (level - at))
        lines.append(f'<li><a href="{page.name}">{html.escape(page.title)}</a>')
        level = at
    closing = "</li></ol>" * level
    listed = "".join(lines) + closing
    body = f'<nav epub:type="toc" id="toc" role="doc-toc"><h1>Contents</h1>{listed}</nav>'
    return _document("Contents", body, "nav.xhtml")


def _package(edition: Edition, items: list[_Item], modified: datetime) -> str:
    said = html.escape
    name = edition.address or edition.title
    about = [
        f'<dc:identifier id="book-id">urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}</dc:identifier>',
        f"<dc:title>{said(edition.title)}</dc:title>",
        "<dc:language>en</dc:language>",
        f"<dc:creator>{said(edition.author)}</dc:creator>" if edition.author else "",
        f"<dc:description>{said(edition.description)}</dc:description>" if edition.description else "",
        f"<dc:rights>{said(edition.rights)}</dc:rights>" if edition.rights else "",
        f"<dc:source>{said(edition.address)}</dc:source>" if edition.address else "",
        f"<dc:date>{said(edition.date)}</dc:date>" if edition.date else "",
        f'<meta property="schema:version">{said(edition.version)}</meta>' if edition.version else "",
        f'<meta property="schema:bookEdition">{said(state(edition))}</meta>',
        f'<meta property="dcterms:modified">{modified.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</meta>',
        *(f'<meta property="schema:{key}">{value}</meta>' for key, values in _ACCESS.items() for value in values),
    ]
    manifest, spine = [], []
    for number, item in enumerate(items):
        properties = f' properties="{item.properties}"' if item.properties else ""
        manifest.append(f'<item id="i{number}" href="{item.name}" media-type="{item.kind}"{properties}/>')
        if item.read:
            spine.append(f'<itemref idref="i{number}"/>')
            if len(spine) == 1:  # the contents follow the title page
                spine.append(f'<itemref idref="i{[each.name for each in items].index("nav.xhtml")}"/>')
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" xml:lang="en"'
        ' prefix="schema: http://schema.org/"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        + "\n".join(filter(None, about))
        + "\n</metadata>\n<manifest>\n"
        + "\n".join(manifest)
        + "\n</manifest>\n<spine>\n"
        + "\n".join(spine)
        + "\n</spine>\n</package>\n"
    )
