"""The changelog as a page and as a feed: each version once, with an address and a day."""

from __future__ import annotations

import tomllib
import xml.etree.ElementTree as xml
from datetime import date
from pathlib import Path

import pytest

from press.site.feed import PAGE, SOURCE, changelog_page, feed, notes, releases

ROOT = Path(__file__).parents[3]
SITE = "https://example.org/book/"
ATOM = {"": "http://www.w3.org/2005/Atom"}
CHANGELOG = """# Changelog

About it.

## Unreleased

- Not yet.

## 1.1.0 - 2027-02-03

### Added

- A `<b>` & [a page](docs/labs.md).

## 1.0.0 - 2026-12-01

First edition.
"""


def read(text: bytes) -> xml.Element:
    return xml.fromstring(text)


def test_versions_are_read_in_their_order_and_what_is_not_released_is_left_out() -> None:
    found = list(releases(CHANGELOG))
    assert [(release.version, release.day) for release in found] == [
        ("1.1.0", date(2027, 2, 3)),
        ("1.0.0", date(2026, 12, 1)),
    ]
    assert found[1].text == "First edition."
    assert "Not yet" not in found[0].text


def test_a_feed_has_what_atom_asks_for() -> None:
    """RFC 4287, 4.1.1 and 4.1.2: of the feed and of each entry one id, one title, one time of the last change."""
    top = read(feed(CHANGELOG, title="A Book", author="Its authors", site=SITE))
    assert top.tag == "{http://www.w3.org/2005/Atom}feed"
    entries = top.findall("entry", ATOM)
    assert len(entries) == 2
    for element in (top, *entries):
        for name in ("id", "title", "updated"):
            assert len(element.findall(name, ATOM)) == 1
    ids = [element.findtext("id", "", ATOM) for element in (top, *entries)]
    assert len({*ids}) == 3
    assert all(address.startswith(SITE) for address in ids)
    assert top.findtext("author/name", "", ATOM) == "Its authors"
    assert top.findtext("updated", "", ATOM) == entries[0].findtext("updated", "", ATOM) == "2027-02-03T00:00:00Z"
    links = {link.get("rel"): link.get("href") for link in top.findall("link", ATOM)}
    assert links == {"self": f"{SITE}changes.xml", "alternate": f"{SITE}changelog/"}


def test_an_entry_has_its_version_s_text_as_html_and_leads_to_its_place_on_the_page(tmp_path: Path) -> None:
    entry = read(feed(CHANGELOG, title="A Book", author="Its authors", site=SITE)).findall("entry", ATOM)[0]
    content = entry.find("content", ATOM)
    assert content is not None
    assert content.get("type") == "html"
    assert "<h3>Added</h3>" in (content.text or "")
    assert "<code>&lt;b&gt;</code> &amp;" in (content.text or "")
    (tmp_path / SOURCE).write_text(CHANGELOG, encoding="utf-8")
    page = changelog_page(tmp_path)
    assert page
    address, _, anchor = entry.findtext("id", "", ATOM).partition("#")
    assert address == f"{SITE}{PAGE.removeprefix('docs/').removesuffix('.md')}/"
    assert f"## 1.1.0 - 2027-02-03 {{#{anchor}}}" in page.text


def test_the_page_has_the_whole_file_with_links_that_hold_there(tmp_path: Path) -> None:
    assert changelog_page(tmp_path) is None
    (tmp_path / SOURCE).write_text(CHANGELOG, encoding="utf-8")
    page = changelog_page(tmp_path)
    assert page
    assert page.source == SOURCE
    assert page.text.count("\n# Changelog\n") == 1
    assert "- Not yet." in page.text
    assert "[a page](labs.md)" in page.text


def test_without_a_version_there_is_no_feed_and_no_notes() -> None:
    assert feed("# Changelog\n", title="A Book", author="Its authors", site=SITE) == b""
    with pytest.raises(ValueError, match=r"CHANGELOG\.md has no section of version 2\.0\.0"):
        notes(CHANGELOG, "2.0.0")
    assert notes(CHANGELOG, "1.0.0") == "First edition."


def test_the_book_s_own_version_is_the_first_of_its_changelog() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    [newest, *_] = releases((ROOT / SOURCE).read_text(encoding="utf-8"))
    assert newest.version == version
