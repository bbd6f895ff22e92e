"""Says what is cited: the book and its chapters as BibTeX, as Highwire's tags, and in the words of schema.org.

Readers take the first from a fold at a page's end; search engines and reference managers read the others in its head.
The book's version is in ``pyproject.toml``; when it was released says ``CITATION.cff``, which the build reads.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from press.site.addresses import download_name

CITATION = "CITATION.cff"
LICENCE = "https://creativecommons.org/licenses/by-sa/4.0/"
LANGUAGE = "en"
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


@dataclass(frozen=True)
class Work:
    """The book: ``url`` is empty where no site's address is set, ``pdf`` where the site offers none.

    ``released`` is ``None`` if nobody has said on which day; ``year`` is that of the day, or of the build.
    """

    title: str
    author: str
    description: str
    version: str
    year: int
    released: date | None = None
    url: str = ""
    pdf: str = ""


@dataclass(frozen=True)
class Chapter:
    """A chapter of it: its name is that of its file, its number may be a letter's and a digit, ``A1``."""

    name: str
    number: str
    title: str
    description: str
    level: str = ""
    minutes: int = 0
    url: str = ""
    pdf: str = ""
    picture: str = ""


def released_on(root: Path) -> date | None:
    """Return the day on which the book's version was released, ``None`` if ``CITATION.cff`` does not say it."""
    try:
        return _released((root / CITATION).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


@functools.lru_cache(maxsize=1)  # each chapter's page says it
def _released(citation: str) -> date:
    return date.fromisoformat(str(yaml.safe_load(citation)["date-released"]))


def unnumbered(title: str, number: str) -> str:
    """Return a chapter's title without its number.

    >>> unnumbered("22 · ZeRO", "22"), unnumbered("One · Sums", "1")
    ('ZeRO', 'One · Sums')
    """
    return title.removeprefix(f"{number} · ") if number else title


def bibtex(work: Work, chapter: Chapter | None = None) -> str:
    """Return the entry of the book, or of a chapter of it.

    >>> print(bibtex(Work("Many Sums", "The authors", "", "1.0.0", 2026)))
    @book{many-sums,
      author = {{The authors}},
      title = {{Many Sums}},
      year = {2026},
      note = {Version 1.0.0}
    }
    """
    key = download_name(work.title)
    fields = {"author": f"{{{_tex(work.author)}}}"}
    if chapter:
        key = f"{key}-{chapter.name}"
        fields |= {"title": f"{{{_tex(chapter.title)}}}", "booktitle": f"{{{_tex(work.title)}}}"}
        fields |= {"chapter": chapter.number} if chapter.number else {}
    else:
        fields["title"] = f"{{{_tex(work.title)}}}"
    fields["year"] = str(work.year)
    fields |= {"note": f"Version {_tex(work.version)}"} if work.version else {}
    url = (chapter or work).url
    fields |= {"url": url} if url else {}
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{'incollection' if chapter else 'book'}{{{key},\n{lines}\n}}"


def _tex(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda sign: _TEX[sign[0]], text)


def highwire(work: Work, chapter: Chapter | None = None) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of the tags by which Google Scholar and Zotero know a page."""
    cited = chapter or work
    yield "citation_title", cited.title
    if chapter:
        yield "citation_inbook_title", work.title
    yield "citation_author", work.author
    yield "citation_publication_date", f"{work.released:%Y/%m/%d}" if work.released else str(work.year)
    yield "citation_language", LANGUAGE
    if cited.url:
        yield "citation_public_url", cited.url
        yield "citation_fulltext_html_url", cited.url
    if cited.pdf:
        yield "citation_pdf_url", cited.pdf


def json_ld(work: Work, chapter: Chapter | None = None) -> str:
    """Return what schema.org's words say of a page, as text that may stand in a ``<script>``: no ``<`` is in it."""
    said = {"@context": "https://schema.org", **(_chapter(chapter, work) if chapter else _book(work))}
    return json.dumps(said, ensure_ascii=False).replace("<", "\\u003c")


def _common(work: Work, cited: Work | Chapter) -> dict[str, Any]:
    said = {"name": cited.title, "description": cited.description, "url": cited.url, "inLanguage": LANGUAGE}
    said |= {"license": LICENCE, "version": work.version, "dateModified": str(work.released or "")}
    return {name: value for name, value in said.items() if value} | {
        "isAccessibleForFree": True,
        "author": {"@type": "Organization", "name": work.author},
    }


def _book(work: Work) -> dict[str, Any]:
    return {"@type": ["Book", "LearningResource"], **_common(work, work), "learningResourceType": "textbook"}


def _chapter(chapter: Chapter, work: Work) -> dict[str, Any]:
    said: dict[str, Any] = {"@type": ["Chapter", "LearningResource"], **_common(work, chapter)}
    said |= {"learningResourceType": "textbook chapter", "position": chapter.number, "educationalLevel": chapter.level}
    said |= {"timeRequired": f"PT{chapter.minutes}M" if chapter.minutes else "", "image": chapter.picture}
    book = {"@type": "Book", "name": work.title, "url": work.url}
    said["isPartOf"] = {name: value for name, value in book.items() if value}
    return {name: value for name, value in said.items() if value}
