"""How the book is cited: entries, tags and records are well formed, and say the same version everywhere."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from press.site.citing import CITATION, Chapter, Work, bibtex, highwire, json_ld, released_on, unnumbered
from press.site.version import version_of

ROOT = Path(__file__).parents[3]
SITE = "https://owner.github.io/NAME/"
WORK = Work("Many Sums", "The authors of Many Sums", "Of sums.", "1.2.0", 2026, date(2026, 11, 30), SITE)
ZERO = Chapter("22-zero", "22", "ZeRO", "Who needs it?", "Intermediate", 55, f"{SITE}memory/22-zero/")
HOSTILE = '</script><script>alert(1)</script> & "%_{x}" \\ $5 <!--'


def fields(entry: str) -> dict[str, str]:
    return dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry, re.MULTILINE))


def test_a_chapter_is_cited_as_a_part_of_the_book() -> None:
    entry = bibtex(WORK, ZERO)
    assert entry.startswith("@incollection{many-sums-22-zero,\n")
    assert entry.endswith("\n}")
    assert fields(entry) == {
        "author": "{The authors of Many Sums}",
        "title": "{ZeRO}",
        "booktitle": "{Many Sums}",
        "chapter": "22",
        "year": "2026",
        "note": "Version 1.2.0",
        "url": f"{SITE}memory/22-zero/",
    }


def test_where_no_site_is_known_nothing_names_an_address() -> None:
    work, chapter = Work("Many Sums", "Authors", "", "", 2026), Chapter("01-one", "1", "One", "First.")
    for cited in (None, chapter):
        said = [bibtex(work, cited), json_ld(work, cited), *map(str, highwire(work, cited))]
        assert "http" not in "".join(said).replace("https://schema.org", "").replace("https://creativecommons.org", "")
    assert dict(highwire(work, chapter))["citation_publication_date"] == "2026"
    assert "dateModified" not in json.loads(json_ld(work, chapter))


def test_what_tex_would_read_as_its_own_is_escaped() -> None:
    entry = bibtex(WORK, Chapter("01-one", "1", HOSTILE, ""))
    title = fields(entry)["title"]
    assert r"\& " in title
    assert r"\%\_\{x\}" in title
    assert r"\textbackslash{} \$5" in title
    bare = re.sub(r"\\[{}]", "", entry)
    assert bare.count("{") == bare.count("}")


def test_a_title_cannot_leave_its_script() -> None:
    said = json_ld(WORK, Chapter("01-one", "1", HOSTILE, HOSTILE))
    assert "<" not in said
    assert json.loads(said)["name"] == HOSTILE


def test_the_words_of_schema_org() -> None:
    said = json.loads(json_ld(WORK, ZERO))
    assert said["@type"] == ["Chapter", "LearningResource"]
    assert said["isPartOf"] == {"@type": "Book", "name": "Many Sums", "url": SITE}
    expected = {"name": "ZeRO", "educationalLevel": "Intermediate", "timeRequired": "PT55M", "inLanguage": "en"}
    expected |= {"version": "1.2.0", "dateModified": "2026-11-30", "position": "22", "description": "Who needs it?"}
    assert {name: said[name] for name in expected} == expected
    book = json.loads(json_ld(WORK))
    assert book["@type"] == ["Book", "LearningResource"]
    assert "isPartOf" not in book


def test_the_tags_of_highwire() -> None:
    tags = dict(highwire(WORK, Chapter("22-zero", "22", "ZeRO", "", url=f"{SITE}a/", pdf=f"{SITE}a/22-zero.pdf")))
    assert tags["citation_title"] == "ZeRO"
    assert tags["citation_inbook_title"] == "Many Sums"
    assert tags["citation_publication_date"] == "2026/11/30"
    assert tags["citation_pdf_url"] == f"{SITE}a/22-zero.pdf"
    assert dict(highwire(WORK))["citation_title"] == "Many Sums"
    assert "citation_pdf_url" not in dict(highwire(WORK))


@pytest.mark.parametrize(("title", "number", "left"), [("A1 · Sums", "A1", "Sums"), ("1 · One", "", "1 · One")])
def test_a_title_without_its_number(title: str, number: str, left: str) -> None:
    assert unnumbered(title, number) == left


def test_a_book_without_the_file_has_no_day_of_release(tmp_path: Path) -> None:
    assert released_on(tmp_path) is None
    (tmp_path / CITATION).write_text('date-released: "2026-01-02"\n')
    assert released_on(tmp_path) == date(2026, 1, 2)


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / CITATION).read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def zenodo() -> dict[str, Any]:
    return dict(json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8")))


# Of the schema of the Citation File Format 1.2.0: what must be there, and what may be.
REQUIRED = {"cff-version", "message", "title", "authors"}
ALLOWED = REQUIRED | {
    *("abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url"),
    *("preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url"),
    "version",
}


def test_the_citation_file_keeps_to_its_format(citation: dict[str, Any]) -> None:
    assert REQUIRED <= citation.keys() <= ALLOWED
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] in {"software", "dataset"}  # a book is one only as the preferred citation
    assert all(isinstance(citation[key], str) for key in ("message", "title", "version", "date-released"))
    assert date.fromisoformat(citation["date-released"])
    assert set(citation["license"]) == {"MIT", "CC-BY-SA-4.0"}
    book = citation["preferred-citation"]
    assert {"type", "title", "authors"} <= book.keys()
    assert book["type"] == "book"
    assert book["year"] == date.fromisoformat(citation["date-released"]).year
    for authors in (citation["authors"], book["authors"]):
        assert all(author.keys() == {"name"} for author in authors)  # an entity's, not a person's


def test_every_record_names_the_same_book(citation: dict[str, Any], zenodo: dict[str, Any]) -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    title, author = (re.search(rf"^site_{key}: (.*)$", settings, re.MULTILINE) for key in ("name", "author"))
    assert title
    assert author
    assert citation["title"] == citation["preferred-citation"]["title"] == zenodo["title"] == title[1]
    assert {entry["name"] for entry in [*citation["authors"], *zenodo["creators"]]} == {author[1]}
    assert zenodo["license"] == "cc-by-sa-4.0"
    assert (zenodo["upload_type"], zenodo["publication_type"]) == ("publication", "book")
    assert citation["keywords"] == zenodo["keywords"]


def test_every_record_has_the_version_that_pip_installs(citation: dict[str, Any], zenodo: dict[str, Any]) -> None:
    version, day = version_of(ROOT), citation["date-released"]
    assert citation["version"] == citation["preferred-citation"]["version"] == zenodo["version"] == version
    assert zenodo["publication_date"] == day
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)\]?\D+(\d{4}-\d\d-\d\d)", changes, re.MULTILINE)
    assert released, f"CHANGELOG.md must have a heading of the version, such as '## {version} - {day}'"
    assert released[0] == (version, day)
