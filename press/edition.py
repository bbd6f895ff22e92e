"""Makes the book ready to print and to carry, from a built site: ``python -m press.edition site``.

That writes the whole book as PDF and as EPUB into the folder ``editions``; with ``--chapter 22`` that chapter as PDF.
With ``--into-site`` the book and each chapter lie where the pages of a site built with BOOK_DOWNLOADS=1 offer them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from press.children import stop_by_exception
from press.editions.epub import write_epub
from press.editions.index import Chapter, Indexed, index_of
from press.editions.pdf import CannotPrint, Document, book_document, chapter_document, printer, write_pdf
from press.editions.printed import Edition, NoPage, Printed, asked, link, only, read_page
from press.lacks import chosen
from press.problems import Refused
from press.reading.contents import Entry, Part, read_contents
from press.reading.files import why_unwritable
from press.site.addresses import DOWNLOADS_FOLDER, addresses, download_name
from press.site.version import made_at, version_of

ROOT = Path(__file__).parents[1]
ABOUT = "About this book"
LEFT_OUT = (
    "in-ten-seconds",
    "three-ways-in",
    "the-book-as-a-map",
    "the-whole-book-question-by-question",
)  # of the home page
LAST = ("notation", "conventions", "quick-reference", "glossary", "references")
ENTRIES = ("glossary", "references")  # in the order of the alphabet
INLINE = ("references",)  # its addresses stand behind its titles
MOST_MB = {".pdf": 60.0, ".epub": 40.0}  # of the whole book


def _url(entry: Entry) -> str:
    return entry.path.removeprefix("chapters/").removesuffix(".md") + "/"


def written(parts: Iterable[Part], root: Path) -> list[Entry]:
    """Return the chapters that are not only planned."""
    return [entry for part in parts for entry in part.chapters if (root / entry.path).is_file()]


class Site:
    """A built site, of which editions are made."""

    def __init__(self, folder: Path, root: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.root = root
        self.address = addresses(environment).site
        self.repository = addresses(environment).repository
        self.parts = read_contents(root)
        self.chapters = written(self.parts, root)
        self.now = made_at(environment)
        home = folder / "index.html"
        if not home.is_file():
            raise NoPage(f"{home} does not exist: build the site first (`mkdocs build`) and name its folder")
        self._home = BeautifulSoup(home.read_text(encoding="utf-8"), "html.parser")
        self.title = self._said("og:site_name") or "The book"

    @property
    def math_font(self) -> Path:
        """The file of the font for mathematics."""
        return self.folder / "assets" / "math.woff2"

    def book(self) -> Edition:
        """Return the whole book."""
        about = self._page("", "about", drop=LEFT_OUT)
        heading = about.body.find("h1")
        if isinstance(heading, Tag):
            heading.string = about.title = ABOUT
        pages = [about]
        for part in self.parts:
            found = [entry for entry in part.chapters if entry in self.chapters]
            if found and (self.folder / part.name / "index.html").is_file():
                pages.append(self._page(f"{part.name}/", part.name))
            pages += [self._chapter(entry, level=2) for entry in found]
        last = [self._page(f"{name}/", name) for name in LAST if (self.folder / name / "index.html").is_file()]
        edition = self._edition(pages, last)
        return replace(edition, index=self._index(edition))

    def chapter(self, entry: Entry) -> Edition:
        """Return one chapter, with the entries of the glossary and of the references that it leads to."""
        page = self._chapter(entry, level=1)
        found = [
            only(self._page(f"{name}/", name), asked(page, kind))
            for name, kind in (("glossary", "term"), ("references", "source"))
            if (self.folder / name / "index.html").is_file()
        ]
        return self._edition([page], [entries for entries in found if entries])

    def _index(self, edition: Edition) -> list[Indexed]:
        """Return what the index of the whole book has."""
        named = {Path(entry.path).stem: tuple(filter(None, entry.also.split(", "))) for entry in self.chapters}
        chapters = [
            Chapter(page.anchors[""], page.title, page.body, named[page.name])
            for page in edition.pages
            if page.name in named
        ]
        entries = {page.name: _headed(page) for page in edition.last if page.name in ENTRIES}
        quick = [
            Chapter(page.anchors[""], page.title, page.body) for page in edition.last if page.name == "quick-reference"
        ]
        terms, sources = (entries.get(name, {}) for name in ENTRIES)
        return index_of(chapters, terms, sources, *quick)

    def _edition(self, pages: Sequence[Printed], last: Sequence[Printed]) -> Edition:
        link([*pages, *last], site=self.address, inline=INLINE)
        copyright_ = self._home.select_one(".md-copyright__highlight")
        return Edition(
            title=self.title,
            pages=pages,
            last=last,
            site=self.folder,
            address=self.address,
            description=self._said("og:description"),
            author=self._said("author"),
            rights=" ".join(copyright_.get_text().split()) if copyright_ else "",
            cover=str(drawn["alt"]) if (drawn := self._home.select_one('img[src$="cover.svg"][alt]')) else "",
            date=f"{self.now:%Y-%m-%d}",
            version=version_of(self.root),
            repository=self.repository,
        )

    def _chapter(self, entry: Entry, *, level: int) -> Printed:
        page = self._page(_url(entry), Path(entry.path).stem)
        page.level = level
        return page

    def _page(self, url: str, name: str, drop: Sequence[str] = ()) -> Printed:
        page = read_page(self.folder, url, name=name, drop=drop, live=self.address)
        page.entries = name in ENTRIES
        return page

    def _said(self, name: str) -> str:
        found = self._home.find("meta", attrs={"property": name}) or self._home.find("meta", attrs={"name": name})
        return str(found["content"]) if isinstance(found, Tag) else ""


def _headed(page: Printed) -> dict[str, str]:
    """Return the names of a page's entries by their anchors."""
    return {str(found["id"]): found.get_text(" ", strip=True) for found in page.body.find_all("h3", id=True)}


def _print(site: Site, document: Document, output: Path, browser: Any) -> list[str]:
    """Print a document, say what came of it, and return what is wrong with it."""
    begun = time.monotonic()
    made = write_pdf(document, output, browser=browser, math_font=site.math_font)
    _tell(output, f"{made.pages} pages, printed {made.rounds} times", begun)
    return [f"{output.name}: {problem}" for problem in made.problems]


def _tell(output: Path, what: str, begun: float) -> None:
    print(f"{output}: {what}, {output.stat().st_size / 1e6:.1f} MB, {time.monotonic() - begun:.0f} s", flush=True)


def make(site: Site, out: Path, entries: Sequence[Entry], *, book: bool, beside_pages: bool) -> list[str]:
    """Write the editions that are asked for, and return what is wrong with them."""
    problems = []
    with printer() as browser:
        for entry in entries:
            folder = site.folder / _url(entry) if beside_pages else out
            document = chapter_document(site.chapter(entry))
            problems += _print(site, document, folder / f"{Path(entry.path).stem}.pdf", browser)
        if book:
            name = download_name(site.title)
            problems += _print(site, book_document(site.book()), out / f"{name}.pdf", browser)
            begun = time.monotonic()
            pages = write_epub(site.book(), out / f"{name}.epub", modified=site.now)
            _tell(out / f"{name}.epub", f"{pages} files of text", begun)
            problems += [
                f"{name}{kind} has {size:.1f} MB; it may have {most:.0f}"
                for kind, most in MOST_MB.items()
                if (size := (out / f"{name}{kind}").stat().st_size / 1e6) > most
            ]
    return problems


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write editions; return 1 if something is wrong with them."""
    parser = argparse.ArgumentParser(prog="python -m press.edition", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("--chapter", action="append", default=[], help="22, 22-zero or memory/22-zero, as PDF")
    parser.add_argument("--out", type=Path, default=Path("editions"), help="the folder to write into (editions)")
    parser.add_argument("--into-site", action="store_true", help="write all of them where the site's pages offer them")
    given = parser.parse_args(arguments)
    stop_by_exception()
    try:
        site = Site(given.site, root, os.environ)
        entries = chosen(given.chapter, site.chapters) if given.chapter else []
        entries = site.chapters if given.into_site else entries
        out = given.site / DOWNLOADS_FOLDER if given.into_site else given.out
        book = given.into_site or not given.chapter
        problems = make(site, out, entries, book=book, beside_pages=given.into_site)
    except (CannotPrint, NoPage, Refused, ValueError) as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(why_unwritable(error) or str(error))
    except KeyboardInterrupt:
        print("Stopped; the editions that were not finished are as they were.", file=sys.stderr)
        return 130
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
