"""Holds the prose of a chapter to its cells: a number that a reader may rely on is printed or asserted there.

A number counts if it has a unit or more than two digits. It has to occur, with the same value, in what a cell of the
chapter prints or in one of its assertions. Free are numbers in code and in the text of links, numbers that name a place
("table 3"), numbers that are part of a name ("H100", "the 70B on 256 GPUs"), lone powers ("2^{30}"), and those that the
header lists with a reason under ``unchecked_numbers``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from press.making.asserted import asserted_numbers
from press.making.figures import part_of_figure
from press.problems import Problem
from press.reading.chapter import Cell
from press.reading.markup import without

EXCEPTIONS = "unchecked_numbers"
MOST_DIGITS_OF_POWER = 5

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SEPARATOR = r"(?:,|\{,\}|\\,|\u202f)"
_NUMBER = re.compile(
    rf"(?<![\w.^])(?<![A-Za-z]-)(?<!\^\{{)(?<!\^\{{-)"
    rf"(?P<digits>\d{{1,3}}(?:{_SEPARATOR}\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?P<exponent>e[+-]?\d+)?"
    rf"(?:\s*(?:\\times|\\cdot|×)\s*10(?:\^\{{(?P<power>-?\d+)\}}|\^(?P<short>\d)|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?"
    rf"(?![\w^⁰¹²³⁴⁵⁶⁷⁸⁹]|\.\d)"
)
_UNIT = re.compile(
    r"(?:[\s~\u00a0\u202f]|\\[,;: ]|\$|\}|\{)*(?:\\(?:text|mathrm)\{\s*)?"
    r"(?:\\?%|(?:[kKMGTPE]i?)?B(?:/s)?|bytes?|bits?|[kKMGT]?b/s|[MGTPEZ]?FLOPs?(?:/s)?|[mnµμ]?s|seconds?|minutes?|hours?"
    r"|days?|weeks?|months?|years?|[kMG]?W|[kMG]?Wh|p?J)(?![\w-])"
)
_PLACE = (
    r"(?:sections?|§|tables?|figures?|equations?|eqs?\.|chapters?|exercises?|appendix|pages?|parts?|steps?|rows?|"
    r"versions?|volume)"
)
_PRINTED = re.compile(r"(?:\d{1,3}(?:[,_]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?")
_MASKS = [
    re.compile(r"\b70B on 256 GPUs"),  # the book's thread, by its name
    re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL),
    re.compile(r"!?\[[^\[\]]*\]\([^()]*\)"),
    re.compile(r"\\(?:label|eqref|ref|tag|begin|end|hspace|vspace)\{[^}]*\}"),
    re.compile(r"^\*\*Level:\*\*.*$", re.MULTILINE),
    re.compile(
        rf"\b{_PLACE}\s+[A-Z]?\.?\d[\d.]*(?:[a-z]\b)?(?:(?:\s*(?:,|–|-|and|or|to)\s*)+[A-Z]?\.?\d[\d.]*)*",
        re.IGNORECASE,
    ),
    re.compile(r"^\s*\d+\.\s", re.MULTILINE),
]


@dataclass(frozen=True)
class Stated:
    """A number of the prose: as it is written, its value, and where in the text it stands."""

    written: str
    value: Decimal
    position: int


def stated_numbers(prose: str) -> Iterator[Stated]:
    """Find the numbers of a piece of Markdown that have a unit or more than two digits.

    >>> [str(number.value) for number in stated_numbers("Of 8,192 tokens, 12 take 0.26 ms and 5 GB; see table 310.")]
    ['8192', '0.26', '5']
    >>> [str(number.value) for number in stated_numbers(r"$1.4 \\times 10^{12}$ on H100s, $2^{30}$, `377`")]
    ['1.4E+12']
    """
    text = without(prose, {"code"})
    for mask in _MASKS:
        text = mask.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in _NUMBER.finditer(text):
        digits = re.sub(_SEPARATOR, "", match["digits"])
        power = match["power"] or match["short"] or (match["raised"] or "").translate(_SUPERSCRIPTS)
        count = sum(character.isdigit() for character in digits)
        if count > 2 or power or match["exponent"] or _UNIT.match(text, match.end()):
            exponent = (match["exponent"] or "e")[1:]
            yield Stated(match[0], _value(digits, exponent, power), match.start())


def _value(digits: str, *powers: str) -> Decimal:
    """Return digits times powers of ten, infinity where no number that is meant can be so large or small.

    >>> _value("1.5", "3", ""), _value("1", "", "9" * 5000)
    (Decimal('1.5E+3'), Decimal('Infinity'))
    """
    if any(len(power) > MOST_DIGITS_OF_POWER for power in powers):
        return Decimal("Infinity")
    return Decimal(f"{digits}e{sum(int(power or 0) for power in powers)}")


def shown_numbers(outputs: Iterable[Mapping[str, Any]]) -> set[Decimal]:
    """Return the numbers that cells printed: their text outputs and tables, not the labels of figures."""
    found: set[Decimal] = set()
    for output in outputs:
        data = output.get("data", {})
        if part_of_figure(output) not in {"", "answer"} or any(kind.startswith("image/") for kind in data):
            continue
        text = output.get("text") or data.get("text/markdown") or data.get("text/html") or data.get("text/plain") or ""
        for match in _PRINTED.finditer("".join(text)):
            digits, _, power = re.sub("[,_]", "", match[0]).partition("e")
            found.add(_value(digits, power))
    return {number for number in found if number.is_finite()}


def captions(outputs: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Return the captions of the figures that a cell shows."""
    for output in outputs:
        if part_of_figure(output) == "caption":
            yield "".join(output["data"]["text/markdown"])


def number_problems(
    cells: Sequence[Cell], executed: Sequence[Mapping[str, Any]], exceptions: object, *, path: str
) -> list[Problem]:
    """Return a problem for each number of the prose that no cell shows, and for each exception without use or reason.

    Args:
        cells: the chapter's cells with their places.
        executed: the same cells of the executed notebook, with their outputs.
        exceptions: what the header says under ``unchecked_numbers``: a number as it is written, and the reason.
        path: the chapter's file, relative to the root.
    """
    if not isinstance(exceptions, Mapping) or not all(isinstance(why, str) and why for why in exceptions.values()):
        return [Problem(path, 1, f"{EXCEPTIONS} must give each number a reason, got {exceptions!r}")]
    known = asserted_numbers([cell.source for cell in cells if cell.kind == "code"])
    known |= shown_numbers(output for run in executed for output in run.get("outputs", ()))
    allowed = {stated.value for written in exceptions for stated in stated_numbers(f"{written} bytes")}
    used: set[Decimal] = set()
    problems = []
    for cell, run in zip(cells, executed, strict=True):
        texts = [cell.source] if cell.kind == "markdown" else captions(run.get("outputs", ()))
        for text in texts:
            for stated in stated_numbers(text):
                used.add(stated.value)
                if stated.value not in known | allowed:
                    below = text.count("\n", 0, stated.position) if cell.kind == "markdown" else 0
                    message = f"no cell prints or asserts the number {stated.written[:60]!r}"
                    problems.append(Problem(path, cell.line + below, message))
    problems += [
        Problem(path, 1, f"{EXCEPTIONS} lists {written!r}, which the text does not need")
        for written in exceptions
        if not any(stated.value in used - known for stated in stated_numbers(f"{written} bytes"))
    ]
    return problems
