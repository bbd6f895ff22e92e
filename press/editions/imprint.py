"""What stands behind the first page of an edition: which state of the book it is, and what a reader may and can do."""

from __future__ import annotations

from bs4 import Tag

from press.editions.elements import leading, new
from press.editions.printed import Edition

SOURCES = (
    "It is printed from the sources that the site is made of: the texts, numbers and pictures are the same. A live "
    "figure stands at the setting that the text beside it speaks of, with its values, and at a second one where the "
    "text names two; on the site its values can be changed. Exercises are written and judged there, and in the book's "
    "repository."
)


def state(edition: Edition) -> str:
    """Return which state of the book an edition is, such as ``Version 1.0.0, 2026-12-01``."""
    return ", ".join(filter(None, (f"Version {edition.version}" if edition.version else "", edition.date)))


def imprint(edition: Edition) -> Tag:
    """Return the imprint as a section."""
    section = new("section", id="imprint", **{"class": "imprint"})
    for heading, *parts in _paragraphs(edition):
        line, strong = new("p"), new("strong")
        strong.string = f"{heading}."
        line.extend([strong, " ", *parts])
        section.append(line)
    return section


def _paragraphs(edition: Edition) -> list[tuple[str | Tag, ...]]:
    """Return the paragraphs of an imprint: what each is about, and what it says."""
    year = edition.date[:4]
    version = f"Version {edition.version}, {year}." if edition.version else f"As of {edition.date}."
    cited = f"{edition.author}. {edition.title}. {version} {edition.address}".removeprefix(". ").strip()
    found: list[tuple[str | Tag, ...]] = [("This edition", f"{state(edition)}. {SOURCES}")]
    if edition.address:
        found.append(("Where it is read", leading(edition.address, edition.address)))
    if edition.rights:
        found.append(("Licence", f"{edition.rights}."))
    found.append(("How to cite", cited if cited.endswith((".", "/")) else f"{cited}."))
    if edition.repository:
        issues = f"{edition.repository}/issues"
        found.append(("An error", "Report it with the version and the page at ", leading(issues, issues), "."))
    else:
        found.append(("An error", "Report it with the version and the page to those from whom you have it."))
    found.append(("Letters", "STIX and DejaVu; mathematics in STIX Two Math."))
    return found
