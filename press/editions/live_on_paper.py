"""Makes of a live figure what it is on paper: pictures that the build has drawn, each with its setting in words.

The first is the one at which the figure opens. The second is that of another named setting, the first that the section
around the figure names, in emphasis or between quotes. What the other settings show stands below, each in its sentence.
What the caption asks of a reader's hand is left out, and where the figure lives is said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag  # comes with nbconvert

from press.editions.elements import having, leading, new

_VERBS = (
    "accumulate|add|begin|change|choose|cut the|deal|divide|drag|give|go|lengthen|let|make|move|play|press|put|raise"
    "|set|slide|speed|start|step|swap|take|try|turn|type"
)
_BY_HAND = re.compile(
    rf"((then|first|now|next|last|only then),? |with \w+, )?(({_VERBS})\b)(?! of\b|s\b)|.*\bpress \S", re.IGNORECASE
)
_SENTENCE_END = re.compile(r'(?<=[.?!])\s+(?=[A-Z"“(])')


def asks_for_a_hand(sentence: str) -> bool:
    """Return whether a sentence of a live figure tells its reader to turn, press or try something.

    >>> asks_for_a_hand("Then raise m: which stage wins?"), asks_for_a_hand("The red bar decides.")
    (True, False)
    """
    return bool(_BY_HAND.match(sentence.strip()))


@dataclass(frozen=True)
class _Setting:
    """A setting as its figure's page has it: ``key`` is that of its picture."""

    name: str
    notice: str
    key: str


def lay_down(figure: Tag, folder: Path, address: str) -> None:
    """Make of a live figure of a page what it is on paper.

    Args:
        figure: it is changed, and may get a second one behind it.
        folder: of the page, where the figure's pictures lie.
        address: where the figure lives, ``""`` if nobody has said it.
    """
    opening, others = _settings(figure)
    second = _asked_for(figure, others)
    pictures = _pictures(figure, folder)
    caption = figure.find("figcaption")
    if not isinstance(caption, Tag):
        raise ValueError(f"the live figure {figure.get('id')!r} has no caption")
    _without_hands(caption)
    numbers = next((found.get_text() for found in having(figure, "live-numbers")), "")
    caption.extend([" ", _said(opening, numbers, _values(figure))])
    caption.extend([" ", _elsewhere(address)])
    if second and second.key in pictures:
        further = [setting for setting in others if setting is not second]
        figure.insert_after(_second(figure, second, pictures[second.key], further))
    else:
        caption.extend(_further(others))
    for gone in having(figure, "live-status", "knobs", "live-tools"):
        gone.decompose()


def _settings(figure: Tag) -> tuple[_Setting | None, list[_Setting]]:
    """Return the setting at which a figure opens, if it has a name, and the others."""
    opening, others = None, []
    for button in figure.find_all("button", attrs={"data-settings": True}):
        settings = json.loads(str(button["data-settings"]))
        key = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        setting = _Setting(" ".join(button.get_text().split()), str(button.get("data-notice", "")), key)
        if button.get("aria-pressed") == "true":
            opening = setting
        else:
            others.append(setting)
    return opening, others


def _asked_for(figure: Tag, others: list[_Setting]) -> _Setting | None:
    """Return the first of some settings that the section around a figure names, ``None`` if it names none."""
    heading = figure.find_previous(["h1", "h2"])
    text = "" if heading is None else "".join(_marked(part) for part in _until_next(heading))
    places = {text.find(f"\0{setting.name}\0"): setting for setting in others}
    return next((places[at] for at in sorted(places) if at >= 0), None)


def _until_next(heading: Tag) -> list[Tag]:
    found = []
    for part in heading.find_next_siblings():
        if part.name in {"h1", "h2"}:
            break
        found.append(part)
    return found


def _marked(part: Tag) -> str:
    """Return the text of a part of a section, what is emphasized or quoted in it between zeros."""
    names = [found.get_text() for found in part.find_all("em")] + re.findall('["“]([^"“”]+)["”]', part.get_text())
    places = {part.get_text().find(name): name for name in names}
    return "".join(f"\0{places[at].rstrip(',.')}\0" for at in sorted(places))


def _pictures(figure: Tag, folder: Path) -> Mapping[str, Any]:
    """Return what the build has drawn of a figure, by settings."""
    path = folder / f"{figure.get('data-name', '')}-near.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _said(setting: _Setting | None, numbers: str, values: list[tuple[str, str]]) -> Tag:
    """Return what a picture shows: its setting's name and sentence, its numbers, the values of its knobs."""
    said = new("span", **{"class": "setting"})
    if setting:
        name = new("strong")
        name.string = f"{setting.name}."
        said.extend([name, " ", _sentences(setting.notice), " "])
    said.append(numbers)
    if values:
        set_to = new("span", **{"class": "set-to"})
        set_to.string = "Set: " + " · ".join(f"{label}: {value}" for label, value in values) + "."
        said.extend([" ", set_to])
    return said


def _sentences(notice: str) -> str:
    return " ".join(said for said in _SENTENCE_END.split(notice) if not asks_for_a_hand(said))


def _knobs(figure: Tag, *, hidden: bool = False) -> list[tuple[str, str, Tag]]:
    """Return of each knob that a figure shows, or also of hidden ones, its name, label, and the field of its value."""
    found = []
    for knob in having(figure, "knob"):
        field = knob.find(["select", "input"], attrs={"name": True})
        if isinstance(field, Tag) and (hidden or not knob.has_attr("hidden")):
            label = knob.find("label") or knob
            parts = [part for part in label.children if not isinstance(part, Tag) or part.name in {"sub", "sup"}]
            text = "".join(part.get_text() for part in parts)
            found.append((str(field["name"]), " ".join(text.split()), field))
    return found


def _values(figure: Tag) -> list[tuple[str, str]]:
    """Return the labels of a figure's knobs with the values at which it opens."""
    return [(label, _value(field)) for _, label, field in _knobs(figure)]


def _value(field: Tag) -> str:
    if field.name == "select":
        option = field.find("option", selected=True) or field.find("option")
        return " ".join(option.get_text().split()) if option else ""
    return ("on" if field.has_attr("checked") else "off") if field.get("type") == "checkbox" else str(field["value"])


def _second(figure: Tag, setting: _Setting, drawn: Mapping[str, Any], further: list[_Setting]) -> Tag:
    """Return another picture of a figure, as one that stands behind it."""
    panels = new("div", role="img", **{"class": "panels", "aria-label": drawn["alt"]})
    panels.extend(list(BeautifulSoup("".join(drawn["svgs"]), "html.parser").children))
    knobs = _knobs(figure, hidden=True)
    values = [(label, drawn["shown"][name]) for name, label, _ in knobs if name not in drawn["idle"]]
    caption, number = new("figcaption"), new("strong")
    number.string = f"Figure {str(figure['id']).removeprefix('figure-')}, another setting."
    caption.extend([number, " "])
    caption.append(_said(setting, drawn["numbers"], values))
    caption.extend(_further(further))
    second = new("figure", **{"class": "book-figure"})
    second.extend([panels, caption])
    return second


def _further(settings: list[_Setting]) -> list[str | Tag]:
    """Return what other settings show, each in its sentence."""
    if not settings:
        return []
    said = new("span", **{"class": "further"})
    said.append("Other settings: ")
    for number, setting in enumerate(settings):
        name = new("em")
        name.string = f"{setting.name}:"
        said.extend([" " * bool(number), name, f" {_sentences(setting.notice)}"])
    return [" ", said]


def _elsewhere(address: str) -> Tag:
    said = new("span", **{"class": "living"})
    where: Tag | str = leading(address, "on the book's site") if address else "on the book's site"
    said.extend(["It is live ", where, ", where its values can be changed."])
    return said


def _without_hands(caption: Tag) -> None:
    """Leave out the sentences of a caption that ask for a hand; its first words, the number, stay."""
    number, *parts = list(caption.children)
    sentences: list[list[Tag | NavigableString]] = [[]]
    for part in parts:
        if isinstance(part, Tag):
            sentences[-1].append(part)
            continue
        before = _text(sentences[-1])[-1:]  # a full stop can stand in an element, with a formula
        first, *others = _SENTENCE_END.split(f"{before}{part}")
        sentences[-1].append(NavigableString(first[len(before) :]))
        sentences += [[NavigableString(f" {other}")] for other in others]
    caption.clear()
    caption.append(number)
    for sentence in sentences:
        if not asks_for_a_hand(_text(sentence)):
            caption.extend(sentence)


def _text(parts: Iterable[Tag | NavigableString]) -> str:
    return "".join(part.get_text() for part in parts)
