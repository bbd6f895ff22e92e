"""Makes the index of the whole book: its terms, its formulas, other names of its chapters, and its sources' authors.

A term stands where chapters link it to the glossary, a source where they name it, a formula in the quick reference and
where cells call it. Another name of a chapter stands where the chapter says it; if it nowhere does, the index says
which chapter to see. Paper has numbers of pages, an EPUB those of chapters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bs4 import Tag

from press.editions.elements import having, new

TITLE = "Index"
MOST = 6  # places of an entry
_SIGNS = "Signs and numbers"
_HEADINGS = ("h1", "h2", "h3")
_BLOCKS = ("p", "li", "figcaption", "td", "th")
_ASKED = re.compile("(how|why) ", re.IGNORECASE)  # what is typed into a search, and looked up in no index
_AUTHOR = re.compile(r"(?!.* (issue|pull request) )(?P<author>[^\W\d].*?)(?P<others> et al\.| and .+)? \d{4}[a-z]?")


@dataclass(eq=False)
class Chapter:
    """A chapter that is indexed: its anchor, title and text, and other names of it."""

    anchor: str
    title: str
    body: Tag
    also: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """Its number, which its title begins with, or the title where it has none."""
        return self.title.partition(" · ")[0]

    @cached_property
    def text(self) -> str:
        """Its text in small letters."""
        return self.body.get_text(" ").casefold()

    @cached_property
    def headings(self) -> list[tuple[str, Tag]]:
        """Its headings with their texts."""
        return [(found.get_text(), found) for found in self.body.find_all(_HEADINGS)]

    @cached_property
    def blocks(self) -> list[tuple[str, Tag]]:
        """What can hold a name, with its text: headings first."""
        return [*self.headings, *((found.get_text(), found) for found in self.body.find_all(_BLOCKS))]


@dataclass(frozen=True)
class Place:
    """Where something stands: an anchor in a chapter; ``main`` says that it is the place to read first."""

    anchor: str
    chapter: str
    main: bool = False


@dataclass(frozen=True)
class Indexed:
    """An entry of the index. ``see`` is the title of the chapter to see, if the name stands nowhere itself."""

    name: str
    places: tuple[Place, ...]
    see: str = ""
    code: bool = False


def index_of(
    chapters: Sequence[Chapter],
    terms: Mapping[str, str],
    sources: Mapping[str, str],
    quick_reference: Chapter | None = None,
) -> list[Indexed]:
    """Return the entries of the index in their order; places that have no anchor get one.

    Args:
        chapters: in the order of the book.
        terms: by the anchors of the glossary's entries, their names.
        sources: by the anchors of the references' entries, their names.
        quick_reference: the page of formulas, if there is one.
    """
    found: dict[str, Indexed] = {}
    formulas = _formulas(chapters, quick_reference) if quick_reference else []
    for entry in [*_terms(chapters, terms), *_other_names(chapters), *_authors(chapters, sources), *formulas]:
        found.setdefault(_order(entry.name).removesuffix("s"), entry)  # "alpha beta models" too is "Alpha-beta model"
    return sorted(found.values(), key=lambda entry: (_letter(entry.name) != _SIGNS, _order(entry.name)))


def index_section(entries: Iterable[Indexed], label: Callable[[Place], str], said: str) -> Tag:
    """Return the index as a section.

    Args:
        entries: in their order.
        label: makes the text of a place, the number of its page say.
        said: what stands above, on what the numbers are.
    """
    section, heading, opening = new("section", id="index"), new("h1", **{"class": "level-1"}), new("p")
    heading.string, opening.string = TITLE, said
    columns, at, listed = new("div", **{"class": "index"}), "", new("ul")
    for entry in entries:
        if _letter(entry.name) != at:
            at, listed = _letter(entry.name), new("ul")
            above = new("h2", **{"class": "letter"})
            above.string = at
            columns.extend([above, listed])
        listed.append(_line(entry, label))
    section.extend([heading, opening, columns])
    return section


def _line(entry: Indexed, label: Callable[[Place], str]) -> Tag:
    line = new("li")
    name = new("code" if entry.code else "span")
    name.string = entry.name
    line.extend([name, ", "])
    if entry.see:
        see = new("em")
        see.string = "see"
        line.extend([see, f" {entry.see}, "])
    for number, place in enumerate(entry.places):
        link = new("a", href=f"#{place.anchor}", **{"class": "place main" if place.main else "place"})
        link.string = label(place)
        line.extend([", "] * bool(number) + [link])
    return line


def _order(name: str) -> str:
    return re.sub(r"[^\w ]", "", name.casefold().replace("-", " "))


def _letter(name: str) -> str:
    first = name[:1].upper()
    return first if "A" <= first <= "Z" else _SIGNS


def _terms(chapters: Sequence[Chapter], terms: Mapping[str, str]) -> list[Indexed]:
    """Return the glossary's terms with the chapters that lead to it or have them in a heading.

    The main one has a heading, if one does, and says the term most. Where there are too many, those that say it most
    are kept.
    """
    uses = _uses(chapters, "term")
    entries = []
    for anchor, name in terms.items():
        links = uses.get(anchor, {})
        said = {chapter: _first(chapter.headings, name) or links.get(chapter.anchor) for chapter in chapters}
        places = {chapter: place for chapter, place in said.items() if place is not None}
        most = sorted(places, key=lambda chapter: (places[chapter].name in _HEADINGS, _times(chapter, name)))[-MOST:]
        kept = (chapter for chapter in places if chapter in most)
        found = [_place(chapter, places[chapter], anchor, main=chapter is most[-1]) for chapter in kept]
        if found:
            entries.append(Indexed(name, tuple(found)))
    return entries


def _times(chapter: Chapter, name: str) -> int:
    return chapter.text.count(name.casefold())


def _place(chapter: Chapter, found: Tag, name: str, *, main: bool) -> Place:
    """Return a place, whose element gets an anchor if it has none."""
    if found.name == "h1":
        return Place(chapter.anchor, chapter.number, main)
    if not found.get("id"):
        found["id"] = f"ix-{chapter.anchor}-{name}"
    return Place(str(found["id"]), chapter.number, main)


def _uses(chapters: Iterable[Chapter], kind: str) -> dict[str, dict[str, Tag]]:
    """Return of each anchor that links of a kind lead to the first link of each chapter, by the chapter's anchor."""
    uses: dict[str, dict[str, Tag]] = {}
    for chapter in chapters:
        for link in having(chapter.body, kind):
            uses.setdefault(str(link.get("href", "")).removeprefix("#"), {}).setdefault(chapter.anchor, link)
    return uses


def _first(parts: Iterable[tuple[str, Tag]], name: str) -> Tag | None:
    said = _saying(name)
    return next((found for text, found in parts if said.search(text)), None)


def _saying(name: str) -> re.Pattern[str]:
    """Return what finds a name as words of its own; large letters count in names that have some inside."""
    exact = any(letter.isupper() for letter in name[1:])
    return re.compile(rf"(?<![\w-]){re.escape(name)}(e?s)?(?![\w-])", 0 if exact else re.IGNORECASE)


def _other_names(chapters: Iterable[Chapter]) -> list[Indexed]:
    """Return the other names of chapters, each where its chapter says it first; one that two have is at both."""
    found: dict[str, list[Place]] = {}
    see: dict[str, str] = {}
    for chapter in chapters:
        for number, name in enumerate(chapter.also):
            if _ASKED.match(name):
                continue
            block = _first(chapter.blocks, name)
            if block is None:
                see.setdefault(name, chapter.title.partition(" · ")[2] or chapter.title)
            whole = Place(chapter.anchor, chapter.number, main=True)
            place = whole if block is None else _place(chapter, block, f"also-{number}", main=True)
            found.setdefault(name, []).append(place)
    return [Indexed(_capital(name), tuple(places), see.get(name, "")) for name, places in found.items()]


def _capital(name: str) -> str:
    """Return a name with a large first letter, if it begins with a word.

    >>> _capital("fat tree"), _capital("bf16 loss scaling"), _capital("torch.profiler"), _capital("γ")
    ('Fat tree', 'bf16 loss scaling', 'torch.profiler', 'γ')
    """
    return name[:1].upper() + name[1:] if re.fullmatch("[a-z]{2,}(-[a-z]+)*", name.split(" ")[0]) else name


def _formulas(chapters: Iterable[Chapter], page: Chapter) -> list[Indexed]:
    """Return the formulas of the quick reference: first there, then their chapter and the first whose cells call them.

    On paper the name itself leads nowhere, for the reference of all functions isn't there.
    """
    code = [(chapter, [(block.get_text(), block) for block in chapter.body.find_all("pre")]) for chapter in chapters]
    entries = []
    for formula in having(page.body, "formula"):
        named = formula.find("code")
        if named is None:
            continue
        name = named.get_text()
        places = [_place(page, formula, name, main=True)]
        call = re.compile(rf"\b{re.escape(name)}\(")
        derived = {str(link.get("href", "")).removeprefix("#") for link in formula.find_all("a")}
        for chapter, blocks in code:
            block = next((block for text, block in blocks if call.search(text)), None)
            if block is not None:
                places.append(_place(chapter, block, name, main=False))
            elif chapter.anchor in derived:
                places.append(Place(chapter.anchor, chapter.number))
        entries.append(Indexed(name, tuple(places[:MOST]), code=True))
    return entries


def _authors(chapters: Sequence[Chapter], sources: Mapping[str, str]) -> list[Indexed]:
    """Return the sources' first authors with the places that name one of their sources."""
    uses = _uses(chapters, "source")
    places: dict[str, dict[str, Place]] = {}
    for anchor, source in sources.items():
        if match := _AUTHOR.fullmatch(source):
            found = places.setdefault(match["author"] + (match["others"] or ""), {})
            for chapter in chapters:
                if link := uses.get(anchor, {}).get(chapter.anchor):
                    found.setdefault(chapter.anchor, _place(chapter, link, anchor, main=False))
    order = [chapter.anchor for chapter in chapters]
    return [
        Indexed(name, tuple(found[anchor] for anchor in order if anchor in found)[:MOST])
        for name, found in places.items()
        if found
    ]
