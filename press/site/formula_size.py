"""Says about how large a formula is before a browser draws it: from its MathML, in multiples of its letters' size.

The widths are those of STIX Two Math, near enough to say where a formula has room; a browser's tests hold decks to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bs4 import Tag  # comes with nbconvert

SCRIPT = 0.72  # the size of what stands above or below, beside that of the letters it belongs to
_LETTER, _WORD, _DIGIT, _MARK, _RELATION, _LARGE = 0.56, 0.48, 0.5, 0.32, 1.25, 1.3  # widths
_LINE = 1.3  # the height of a line
_CELL = (0.8, 0.4)  # what is added to the width and height of a table's cell
_RELATIONS = frozenset("=≤≥<>≈→←+−±×⋅·∈≪≫∝⇒")
_LARGE_OPERATORS = frozenset("∑∏∫")
_UNSEEN = "\u2061\u2062\u2063\u200b"  # operators that a reader infers
_STRETCHED, _STRETCH = frozenset("()[]{}|/⌈⌉⌊⌋"), 0.35  # wider beside what is high
_NUMBER = re.compile(r"\(\d+\)")


@dataclass(frozen=True)
class Size:
    """A width and a height."""

    width: float
    height: float

    def scaled(self, by: float) -> Size:
        """Return the size of the same in smaller letters."""
        return Size(self.width * by, self.height * by)


def formula_size(formula: Tag) -> Size:
    """Return about how large a formula is, its number included."""
    return _beside(_children(formula))


def without_full_stop(formula: Tag) -> None:
    """Take away the mark with which a formula ends within its sentence, ``T = C / R.``."""
    leaves = [leaf for leaf in formula.find_all(["mi", "mo", "mn", "mtext"]) if leaf.get_text(strip=True)]
    told = [leaf for leaf in leaves if not _NUMBER.fullmatch(leaf.get_text(strip=True))]
    if told and (ended := told[-1].get_text().rstrip()).endswith((".", ",", ";")) and not ended.endswith("…"):
        told[-1].string = ended[:-1]


def _children(tag: Tag) -> list[Size]:
    return [_size(child) for child in tag.find_all(True, recursive=False)]


def _beside(sizes: Sequence[Size]) -> Size:
    return Size(sum(one.width for one in sizes), max((one.height for one in sizes), default=0))


def _stacked(sizes: Sequence[Size]) -> Size:
    return Size(max((one.width for one in sizes), default=0), sum(one.height for one in sizes))


def _size(tag: Tag) -> Size:
    """Return the size of an element of MathML."""
    if tag.name in ("mi", "mo", "mn", "mtext"):
        return _leaf(tag)
    if tag.name == "mspace":
        return Size(float(re.sub(r"[^\d.-]", "", str(tag.get("width", "0"))) or 0), 0)
    if tag.name == "mtable":
        return _table(tag)
    sizes = _children(tag)
    if tag.name == "mfrac":
        stacked = _stacked(sizes)
        return Size(stacked.width + 0.1, stacked.height + 0.1)
    if tag.name in ("munder", "mover", "munderover"):
        return _stacked([sizes[0], *(one.scaled(SCRIPT) for one in sizes[1:])])
    if tag.name in ("msub", "msup", "msubsup"):
        scripts = _stacked([one.scaled(SCRIPT) for one in sizes[1:]])
        return Size(sizes[0].width + scripts.width, max(sizes[0].height + 0.15, scripts.height))
    row = _beside(sizes)
    stretched = sum(child.get_text() in _STRETCHED for child in tag.find_all("mo", recursive=False))
    return Size(row.width + _STRETCH * stretched * (row.height > 2 * _LINE), row.height)


def _leaf(tag: Tag) -> Size:
    text = tag.get_text()
    if tag.name == "mo":
        letters = text.strip(_UNSEEN)
        if letters.isalpha() and len(letters) > 1:  # the name of a function
            return Size(_WORD * len(letters) + 0.2, _LINE)
        width = _RELATION if letters in _RELATIONS else _LARGE if letters in _LARGE_OPERATORS else _MARK * len(letters)
        return Size(width, _LARGE if letters in _LARGE_OPERATORS else _LINE)
    each = {"mi": _LETTER, "mn": _DIGIT, "mtext": _WORD}[tag.name]
    return Size(each * len(text), _LINE)


def _table(table: Tag) -> Size:
    rows = [
        [_beside(_children(cell)) for cell in row.find_all("mtd", recursive=False)]
        for row in table.find_all("mtr", recursive=False)
    ]
    columns = max((len(row) for row in rows), default=0)
    widths = [max((row[column].width for row in rows if column < len(row)), default=0) for column in range(columns)]
    heights = [max((cell.height for cell in row), default=0) + _CELL[1] for row in rows]
    return Size(sum(widths) + _CELL[0] * columns, sum(heights))
