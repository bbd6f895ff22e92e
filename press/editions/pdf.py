"""Makes PDF of printable pages: Chromium prints one document, with page numbers, running heads, bookmarks and tags.

Chromium cannot print the page that a link leads to. So the document is printed, the PDF is asked where each anchor
has come to stand, and it is printed again with these numbers, until they are right.
"""

from __future__ import annotations

import html
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from grader.whole_files import whole_file
from press.editions.imprint import imprint, state
from press.editions.index import TITLE as INDEX
from press.editions.index import index_section
from press.editions.printed import ANSWERS, COVER, Edition, Printed, answers_opening, headed, notes_section

STYLE = Path(__file__).parents[1] / "templates" / "print" / "print.css"
WIDTH_MM, MARGIN_MM = 210, 24
WIDTH_PX = round((WIDTH_MM - 2 * MARGIN_MM) / 25.4 * 96)  # of the column, as Chromium lays it out on A4
TALLEST_PX = 930  # of a figure, so that it is not split
LEAST = 0.5  # how small what is too wide may become
CLOSE = 0.86  # how small panels may become to stand side by side
DENSE = 0.8  # how small a solution may become so that its lines are not broken
SHORT_PX = {"pre": 170, "table": 230, ".admonition": 260, ".hint": 120}  # what is lower is not split
HEIGHT_PX = 956  # of the column on a page
SMALLER = 0.85  # how small pictures may become so that their figure stands on the page where it would begin
BLANK = 0.15  # how much of a page may be left blank before a figure
_NEW = BeautifulSoup("", "html.parser")  # makes elements
_MARK = re.compile("\ue000(.*?)\ue001")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
_FACES = (  # family, file, weight, style: matplotlib brings these fonts, so that every machine prints with the same
    ("Book", "STIXGeneral.ttf", 400, "normal"),
    ("Book", "STIXGeneralItalic.ttf", 400, "italic"),
    ("Book", "STIXGeneralBol.ttf", 700, "normal"),
    ("Book", "STIXGeneralBolIta.ttf", 700, "italic"),
    ("Book Sans", "DejaVuSans.ttf", 400, "normal"),
    ("Book Sans", "DejaVuSans-Bold.ttf", 700, "normal"),
    ("Book Mono", "DejaVuSansMono.ttf", 400, "normal"),
    ("Book Mono", "DejaVuSansMono-Bold.ttf", 700, "normal"),
    ("Book Mono", "DejaVuSansMono-Oblique.ttf", 400, "italic"),
)
# What is wider than the column is made smaller. Panels that are little wider than half of it stand side by side, as
# they were drawn to, and so do those of a figure that is taller than the page. What is short stays on one page.
_FIT = """([least, tallest, close, short, dense]) => {
    for (const figure of document.querySelectorAll('figure')) {
        const panels = [...figure.querySelectorAll('.panels > svg, .panels > img')];
        const half = (figure.clientWidth - 16) / 2;
        const boxes = panels.map(panel => panel.getBoundingClientRect());
        if (boxes.some(box => box.top > boxes[0].top)) {
            panels.filter((panel, at) => !panel.matches('.wide') && boxes[at].width * close <= half)
                .forEach(panel => panel.style.maxWidth = 'calc(50% - 2mm)');
        }
        const tall = () => figure.getBoundingClientRect().height;
        if (tall() > tallest) {
            panels.filter(panel => !panel.matches('.wide')).forEach(panel => panel.style.maxWidth = 'calc(50% - 2mm)');
        }
        for (let share = 1; share > least && tall() > tallest; share -= 0.03) {
            for (const panel of panels) {
                panel.style.maxWidth = `calc(${share} * ${panel.matches('.wide') ? 100 : 50}% - 2mm)`;
            }
        }
    }
    for (const code of document.querySelectorAll('.answers pre')) {
        const {fontSize, paddingLeft} = getComputedStyle(code);
        const text = document.createRange();
        text.selectNodeContents(code);
        code.style.whiteSpace = 'pre';
        const share = 0.99 * (code.clientWidth - 2 * parseFloat(paddingLeft)) / text.getBoundingClientRect().width;
        code.style.whiteSpace = '';
        code.style.fontSize = `${parseFloat(fontSize) * Math.max(dense, Math.min(1, share))}px`;
    }
    for (const [kind, most] of Object.entries(short)) {
        for (const found of document.querySelectorAll(kind)) {
            if (found.offsetHeight < most) found.style.breakInside = 'avoid';
        }
    }
    for (const found of document.querySelectorAll('table, .math-display, pre, .panels, p, li')) {
        const wide = () => Math.max(found.getBoundingClientRect().width, found.scrollWidth);
        const whole = found.matches('p, li') ? found : found.parentElement;
        const room = whole.getBoundingClientRect().width + 1;
        const size = parseFloat(getComputedStyle(found).fontSize);
        for (let share = room / wide(); share > least && wide() > room; share *= 0.97) {
            found.style.fontSize = `${size * share}px`;
        }
    }
}"""
# A figure that does not fit below what stands before it leaves a page half empty. Columns as high as a page are broken
# where pages will be, so they tell which figures do. Such a figure becomes a little smaller, if that is enough; else
# the text behind it moves before it, as far as it fits, unless the line before the figure leads to it.
_FLOW = """([height, smaller, mostBlank]) => {
    const between = 40, margins = 36;
    const movable = 'p:not(.to-answer, .guess), ul, ol, .math-display, .admonition, table, pre, .highlight, .answer';
    const leads = found => found.textContent.trim().endsWith(':');
    const tall = found => [...found.getClientRects()].reduce((sum, box) => sum + box.height, 0);
    for (const piece of document.querySelectorAll('.piece')) {
        const width = piece.clientWidth;
        const before = piece.style.cssText;
        piece.style.cssText = `${before};height:${height}px;width:${width}px;columns:${width}px auto;`
            + `column-gap:${between}px;column-fill:auto`;
        const home = piece.getBoundingClientRect();
        const column = box => Math.round((box.left - home.left) / (width + between) - 0.3);
        const blank = figure => {
            const boxes = figure.previousElementSibling?.getClientRects();
            if (!boxes?.length) return 0;
            const last = boxes[boxes.length - 1];
            const same = column(last) >= column(figure.getClientRects()[0]);
            return same ? 0 : height - (last.bottom - home.top);
        };
        const shrunk = (figure, room) => {
            const panels = figure.querySelector('.panels');
            const pictures = panels ? [...panels.querySelectorAll(':scope > svg, :scope > img')] : [];
            if (!pictures.length) return false;
            const behind = figure.nextElementSibling;
            const check = behind?.matches('.check') ? behind.offsetHeight + 12 : 0;
            const share = 1 - (figure.offsetHeight + margins + check - room) / panels.offsetHeight;
            if (share >= 1 || share < smaller) return false;
            for (const picture of pictures) picture.style.width = `${picture.getBoundingClientRect().width * share}px`;
            return true;
        };
        for (const figure of piece.querySelectorAll('figure')) {
            const room = blank(figure);
            if (room < mostBlank * height || shrunk(figure, room) || leads(figure.previousElementSibling)) continue;
            let next = figure.nextElementSibling;
            while (next?.matches('figure, .check')) next = next.nextElementSibling;
            const moved = [];
            let left = room - 16;
            while (next?.matches(movable) && tall(next) + 10 < left) {
                left -= tall(next) + 10;
                moved.push(next);
                next = next.nextElementSibling;
            }
            while (moved.length && (leads(moved.at(-1)) || next?.matches('.math-display, .check'))) next = moved.pop();
            figure.before(...moved);
            shrunk(figure, blank(figure));
        }
        piece.style.cssText = before;
    }
}"""
# What reaches beyond the column all the same, and would be cut off or stand in the margin.
_BEYOND = """() => {
    const edge = document.body.getBoundingClientRect().right + 1.5;
    const right = found => {
        const box = found.getBoundingClientRect();
        return box.left + Math.max(box.width, found.scrollWidth || 0);
    };
    const all = [...document.querySelectorAll('body *')];
    const beyond = all.filter(found => right(found) > edge && !found.closest('svg'));
    return beyond.filter(found => !beyond.some(other => other !== found && found.contains(other)))
        .map(found => `${found.closest('section[id]')?.id}: ${found.tagName.toLowerCase()}, `
            + `${Math.round(right(found) - edge)} px: ${found.textContent.trim().slice(0, 60)}`);
}"""


class CannotPrint(RuntimeError):
    """The machine lacks what printing needs; the message says how to get it."""


@dataclass
class Piece:
    """A section of a document. ``level`` is that of its first heading among the bookmarks, and in the contents."""

    body: Tag
    head: str
    level: int = 1
    title: str = ""
    listed: bool = True
    alphabetical: bool = False  # a reader finds its entries without the numbers of pages
    pictures: Mapping[str, Path] = field(default_factory=dict)


@dataclass
class Document:
    """What is printed as one file: its sections, and HTML of the pages that stand before the contents."""

    title: str
    pieces: list[Piece]
    first_pages: str = ""
    author: str = ""
    contents: bool = False


def chromium() -> str | None:
    """Return the path of this machine's Chromium or Chrome, ``None`` if it has none that a shell would find."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def why_not() -> str:
    """Say what this machine lacks for printing, ``""`` if nothing."""
    if find_spec("pypdf") is None:
        return "printing needs pypdf: pip install -r requirements-print.txt"
    if chromium() is None:
        return "printing needs Chromium: install it (Debian: apt install chromium) and try again"
    return ""


def chapter_document(edition: Edition) -> Document:
    """Return a chapter as a document of its own: it, its solutions, and what the book has on its words and sources."""
    [chapter] = edition.pages
    pieces = [_with_notes(chapter, head=chapter.title)]
    if chapter.answers:
        pieces.append(Piece(headed(chapter.answers, ANSWERS), chapter.title))
    pieces += [_with_notes(page, head=chapter.title) for page in edition.last]
    return Document(f"{chapter.title} · {edition.title}", pieces, author=edition.author)


def book_document(edition: Edition) -> Document:
    """Return the whole book as a document: title, imprint, contents, chapters, solutions, the reference, the index."""
    pieces = [_with_notes(page) for page in edition.pages]
    answered = [(page.title, page.answers) for page in edition.pages if page.answers]
    if answered:
        whole = answers_opening()
        for title, answers in answered:
            _lower(headed(answers, title), by=1)
            whole.append(answers)
        pieces.append(Piece(whole, ANSWERS, title=ANSWERS))
    pieces += [_with_notes(page) for page in edition.last]
    if edition.index:
        said = (
            "The numbers are those of pages; at a bold one, read first. Names of people are first authors of sources."
        )
        index = index_section(edition.index, lambda place: _mark(place.anchor), said)
        pieces.append(Piece(index, INDEX, title=INDEX))
    return Document(edition.title, pieces, _first_pages(edition), edition.author, contents=True)


def _with_notes(page: Printed, head: str = "") -> Piece:
    if notes := notes_section(page):
        page.body.append(notes)
    if page.entries:
        page.body["class"] = "entries"
    head = head or page.title
    return Piece(page.body, head, page.level, page.title, alphabetical=page.entries, pictures=page.pictures)


def _first_pages(edition: Edition) -> str:
    """Return the title page and the imprint behind it."""
    cover = (edition.site / COVER).absolute().as_uri()
    said = [edition.description, edition.author, state(edition)]
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in said if line)
    return (
        f'<section class="title-page" id="title-page"><img src="{cover}"'
        f' alt="{html.escape(edition.cover)}"><h1>{html.escape(edition.title)}</h1>'
        f"{lines}</section>{imprint(edition)}"
    )


def document_html(document: Document, *, math_font: Path) -> str:
    """Return a document's HTML, in which marks stand where ``numbered`` puts the numbers of pages.

    Args:
        document: what is printed; its pieces are changed.
        math_font: the file of the font for mathematics.
    """
    heads = "".join(_page_rule(number, piece.head) for number, piece in enumerate(document.pieces))
    contents = _contents(document) if document.contents else ""
    body = "".join(_piece_html(number, piece) for number, piece in enumerate(document.pieces))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(document.title)}</title>'
        f"<style>{_faces(math_font)}{STYLE.read_text(encoding='utf-8')}{heads}</style></head>"
        f"<body>{document.first_pages}{contents}{body}</body></html>"
    )


def numbered(text: str, numbers: Mapping[str, int]) -> str:
    """Put the numbers of pages into a document's HTML; before any is known, one as wide as most."""
    unknown = 0 if numbers else 100
    return _MARK.sub(lambda match: str(numbers.get(match[1], unknown)), text)


def _mark(anchor: str) -> str:
    return f"\ue000{anchor}\ue001"


def _faces(math_font: Path) -> str:
    package = find_spec("matplotlib")
    if package is None or package.origin is None:
        raise CannotPrint("matplotlib, which brings the fonts, is not installed: pip install -r requirements.txt")
    folder = Path(package.origin).parent / "mpl-data" / "fonts" / "ttf"
    faces = [(family, folder / name, weight, style) for family, name, weight, style in _FACES]
    faces.append(("STIX Two Math", math_font, 400, "normal"))
    return "".join(
        f'@font-face{{font-family:"{family}";src:url("{path.absolute().as_uri()}");font-weight:{weight};'
        f"font-style:{style}}}"
        for family, path, weight, style in faces
    )


def _page_rule(number: int, head: str) -> str:
    said = re.sub(r'[\\"<]', lambda sign: f"\\{ord(sign[0]):x} ", head)  # as < would end the style sheet
    return f'@page piece-{number}{{@top-left{{content:"{said}"}}}}#piece-{number}{{page:piece-{number}}}'


def _contents(document: Document) -> str:
    lines = []
    for piece in document.pieces:
        if piece.listed:
            anchor = str(piece.body["id"])
            lines.append(
                f'<li class="listed-{piece.level}"><a href="#{anchor}"><span>{html.escape(piece.title)}</span>'
                f'<span class="dots"></span><span>{_mark(anchor)}</span></a></li>'
            )
    return f'<nav class="contents"><h1>Contents</h1><ol>{"".join(lines)}</ol></nav>'


def _lower(body: Tag, *, by: int) -> None:
    """Lower the headings of an element among the bookmarks; they look as before."""
    for heading in body.find_all(["h1", "h2", "h3", "h4", "h5"]):
        heading.name = f"h{min(6, int(heading.name[1]) + by)}"


def _piece_html(number: int, piece: Piece) -> str:
    body = piece.body
    _lower(body, by=piece.level - 1)
    for found in body.find_all("a", class_=["section", "back", "to-answer"]):
        anchor = str(found["href"]).removeprefix("#")
        if piece.alphabetical and anchor.startswith(f"{body['id']}--"):
            continue
        said = _NEW.new_tag("span", attrs={"class": "on-page"})
        said.string = f" p. {_mark(anchor)}"
        found.append(said)
    for picture in body.find_all("img"):
        picture["src"] = piece.pictures[str(picture["src"])].absolute().as_uri()
    return f'<div class="piece level-of-{piece.level}" id="piece-{number}">{body}</div>'


@dataclass(frozen=True)
class Made:
    """What was printed: its pages, how often it was printed, and what is wrong with it."""

    pages: int
    rounds: int
    problems: tuple[str, ...]


@contextmanager
def printer() -> Iterator[Any]:
    """Yield Chromium, which prints.

    Raises:
        CannotPrint: this machine cannot.
    """
    if lacking := why_not():
        raise CannotPrint(lacking)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=_FLAGS)
        yield browser
        browser.close()


def write_pdf(document: Document, output: Path, *, browser: Any, math_font: Path, rounds: int = 4) -> Made:
    """Print a document into a file.

    Args:
        document: what is printed.
        output: the file.
        browser: what ``printer`` yields.
        math_font: the file of the font for mathematics.
        rounds: how often it is printed at most, until the numbers of pages are right.
    """
    numbers: dict[str, int] = {}
    problems: list[str] = []
    text = document_html(document, math_font=math_font)
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "document.pdf"
        made = 0
        while made < rounds:
            made += 1
            path = Path(folder) / "document.html"
            path.write_text(numbered(text, numbers), encoding="utf-8")
            page = browser.new_page(viewport={"width": WIDTH_PX, "height": 1000}, offline=True)
            page.set_default_timeout(0)
            page.emulate_media(media="print", color_scheme="light")
            page.goto(path.as_uri())
            page.evaluate("document.fonts.ready")
            page.evaluate(_FIT, [LEAST, TALLEST_PX, CLOSE, SHORT_PX, DENSE])
            page.evaluate(_FLOW, [HEIGHT_PX, SMALLER, BLANK])
            problems = [f"too wide for the page: {found}" for found in page.evaluate(_BEYOND)]
            page.pdf(path=str(printed), prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
            page.close()
            pages, found = _places(printed)
            if found == numbers:
                break
            numbers = found
        else:
            problems.append(f"the numbers of pages have not come to rest after {rounds} printings")
        _finish(printed, document)
        with whole_file(output) as draft:
            shutil.copyfile(printed, draft)
    return Made(pages, made, tuple(problems))


def _finish(pdf: Path, document: Document) -> None:
    """Say who wrote a PDF, and mend its bookmarks.

    Chromium writes the title of a heading at the top of a page twice, and takes the number of a page for a part of it.
    """
    from pypdf import PdfWriter
    from pypdf.generic import NameObject, TextStringObject

    writer = PdfWriter(pdf, incremental=True)
    writer.add_metadata({"/Author": document.author, "/Creator": "python -m press.edition"})
    waiting = [writer.root_object.get("/Outlines", {})]
    while waiting:
        bookmark = waiting.pop().get_object()
        waiting += [bookmark[link] for link in ("/First", "/Next") if link in bookmark]
        if title := str(bookmark.get("/Title", "")):
            mended = mended_title(title)
            if mended != title:
                bookmark[NameObject("/Title")] = TextStringObject(mended)
    writer.write(pdf)


def mended_title(title: str) -> str:
    """Return a bookmark's title as the heading has it.

    >>> mended_title("22 · ZeRO22 · ZeRO"), mended_title("Exercise 1 · Bytes p. 20"), mended_title("Ring")
    ('22 · ZeRO', 'Exercise 1 · Bytes', 'Ring')
    """
    title = re.sub(r"(?<=\S) p\. \d+(?=$|\D)", "", title)
    half = len(title) // 2
    return title[:half] if title and title[:half] == title[half:] else title


def _places(pdf: Path) -> tuple[int, dict[str, int]]:
    """Return the number of a PDF's pages, and on which of them, counted from 1, each anchor stands."""
    from pypdf import PdfReader

    reader = PdfReader(pdf)
    number = {getattr(page.indirect_reference, "idnum", None): at for at, page in enumerate(reader.pages, start=1)}
    led = {name: getattr(found.page, "idnum", None) for name, found in reader.named_destinations.items()}
    places = {name.removeprefix("/"): number[page] for name, page in led.items() if page in number}
    return len(number), places
