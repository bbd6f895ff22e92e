"""The changelog as readers get it: a page of the site, and an Atom feed with an entry for each version."""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from press.making.pages import Page
from press.reading.links import moved

SOURCE = "CHANGELOG.md"
PAGE = "docs/changelog.md"
NAME = "changes.xml"  # at the site's root

_ATOM = "http://www.w3.org/2005/Atom"
_HEADING = re.compile(r"^## (?P<version>\d+\.\d+\.\d+) - (?P<day>\d{4}-\d{2}-\d{2})$", re.MULTILINE)
_TITLE = re.compile(r"^# .+\n+", re.MULTILINE)
_DESCRIPTION = "What has changed from version to version, for readers and teachers."


@dataclass(frozen=True)
class Release:
    """A version of the book: its number, the day of its release, and in Markdown what has changed."""

    version: str
    day: date
    text: str


def releases(changelog: str) -> Iterator[Release]:
    """Yield the released versions of a changelog, the newest first.

    >>> [release.version for release in releases("## Unreleased\\n\\n## 1.1.0 - 2027-02-03\\n\\n- It.\\n")]
    ['1.1.0']
    """
    for heading in _HEADING.finditer(changelog):
        text = re.split(r"^## ", changelog[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]
        yield Release(heading["version"], date.fromisoformat(heading["day"]), text.strip())


def notes(changelog: str, version: str) -> str:
    """Return what a changelog says of a version.

    Raises:
        ValueError: it says nothing of it.
    """
    found = {release.version: release.text for release in releases(changelog)}
    if not found.get(version):
        raise ValueError(f"{SOURCE} has no section of version {version}: it begins with ## {version} - YYYY-MM-DD")
    return found[version]


def changelog_page(root: Path) -> Page | None:
    """Return the page that shows the changelog of the book under ``root``, ``None`` if it has none."""
    if not (root / SOURCE).is_file():
        return None
    text = (root / SOURCE).read_text(encoding="utf-8")
    body = _HEADING.sub(lambda found: f"{found[0]} {{#{_anchor(found['version'])}}}", _TITLE.sub("", text, count=1))
    header = f'---\ntitle: "Changelog"\ndescription: "{_DESCRIPTION}"\n---\n\n# Changelog\n\n'
    return Page(PAGE, SOURCE, header + moved(body, SOURCE, PAGE), "Changelog")


def feed(changelog: str, *, title: str, author: str, site: str) -> bytes:
    """Return the feed, nothing if no version is released.

    Args:
        changelog: the text of the file.
        title: the book's.
        author: whose it is.
        site: where the site stands, with the slash at its end. An entry is known by its address there.
    """
    found = [*releases(changelog)]
    if not found:
        return b""
    top = xml.Element("feed", {"xmlns": _ATOM, "xml:lang": "en", "xml:base": site})
    _add(top, "title", f"{title}: changes")
    _add(top, "id", site + NAME)
    _add(top, "updated", _time(max(release.day for release in found)))
    _add(top, "link", rel="self", type="application/atom+xml", href=site + NAME)
    _add(top, "link", rel="alternate", type="text/html", href=f"{site}changelog/")
    _add(_add(top, "author"), "name", author)
    for release in found:
        address = f"{site}changelog/#{_anchor(release.version)}"
        entry = _add(top, "entry")
        _add(entry, "title", f"Version {release.version}")
        _add(entry, "id", address)
        _add(entry, "updated", _time(release.day))
        _add(entry, "link", rel="alternate", type="text/html", href=address)
        _add(entry, "content", _html(release.text), type="html")
    xml.indent(top)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + xml.tostring(top, encoding="utf-8") + b"\n"


def _anchor(version: str) -> str:
    return f"version-{version}"


def _time(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"


def _html(text: str) -> str:
    import markdown  # a release's check of its notes, before anything is installed, needs no HTML

    extensions: Sequence[str] = ("sane_lists", "tables")
    return markdown.markdown(text, extensions=extensions)


def _add(parent: xml.Element, tag: str, text: str = "", **attributes: str) -> xml.Element:
    element = xml.SubElement(parent, tag, attributes)
    element.text = text or None
    return element
