"""Holds the chapters' mathematics to the notation page: a symbol that a chapter uses is explained there, once.

A section of the notation page that links to chapters in the paragraph below its heading is theirs; a section that links
to none is everybody's. Of a symbol, its letter, its font and its accent count: ``\\hat g_p`` is explained where
``\\hat g`` is. Names of functions, text and numbers are no symbols.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from press.chapter import Cell
from press.markup import without
from press.problems import Problem

_GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon"
    "|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega|ell|nabla|odot"
)
_DRESSES = {"mathbb", "mathcal", "mathbf", "boldsymbol", "hat", "bar", "tilde", "vec", "dot", "widehat", "overline"}
_MATH = re.compile(r"\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?P<inline>[^$\n]+)\$", re.DOTALL)
_NO_SYMBOLS = re.compile(
    r"\\(?:text|textbf|textit|mathrm|mathsf|operatorname|mathop|label|eqref|ref|tag|begin|end|hspace)(?![A-Za-z])\*?\s*"
    r"(?:\{[^{}]*\}|[A-Za-z])"
)
_TOKEN = re.compile(r"\\(?P<name>[A-Za-z]+)|(?P<letter>[A-Za-z])|(?P<other>[^\s{}])")


@dataclass(frozen=True)
class Section:
    """A section of the notation page: its heading, the chapters that it belongs to, its symbols and its rows.

    ``rows`` are pairs of what a row explains, as TeX without spaces, and its line.
    """

    heading: str
    chapters: frozenset[str]
    symbols: tuple[str, ...]
    rows: tuple[tuple[str, int], ...]


def symbols(tex: str) -> list[str]:
    """Return the symbols of a formula, in order, indices among them.

    >>> symbols(r"\\hat g_p = \\frac{1}{N} \\sum_r g_r \\text{ for } \\mathbb{E}\\,\\alpha^{\\mathsf T}")
    ['\\\\hat g', 'p', 'N', 'r', 'g', 'r', '\\\\mathbb E', '\\\\alpha']
    """
    found = []
    dress: list[str] = []
    for token in _TOKEN.finditer(_NO_SYMBOLS.sub(" ", tex)):
        if token["name"] in _DRESSES:
            dress.append(f"\\{token['name']}")
            continue
        if token["letter"] or _GREEK.fullmatch(token["name"] or ""):
            found.append(" ".join([*dress, token[0]]))
        dress = []
    return found


def formulas(text: str) -> Iterator[tuple[str, int]]:
    """Return the TeX of a piece of Markdown with the line, from 0, on which each formula begins."""
    masked = without(text, {"code"})
    for match in _MATH.finditer(masked):
        yield match["display"] or match["inline"], masked.count("\n", 0, match.start())


def read_notation(text: str, path: str) -> list[Section]:
    """Read the notation page that stands in ``path``: of each table's row, the first cell has the symbols."""
    sections = []
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("## ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        body = lines[start + 1 : end]
        before = "\n".join(body[: next((n for n, line in enumerate(body) if line.startswith("|")), len(body))])
        links = re.findall(r"\]\(([^)#]+\.md)", before)
        chapters = frozenset(posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) for link in links)
        numbered = [(line.split("|")[1], start + 2 + n) for n, line in enumerate(body) if line.startswith("| ")]
        found = [symbol for cell, _ in numbered for symbol in _defined(cell)]
        rows = [(_head(tex), number) for cell, number in numbered for tex, _ in formulas(cell)]
        sections.append(Section(lines[start][3:], chapters, tuple(found), tuple(rows)))
    return sections


def _head(tex: str) -> str:
    """Return what a formula of the first column explains: all of it up to an equals sign, without spaces."""
    return re.sub(r"\s", "", tex.partition("=")[0])


def _defined(cell: str) -> list[str]:
    """Return the symbols of a row, each once, its indices and what it equals included."""
    return list(dict.fromkeys(symbol for tex, _ in formulas(cell) for symbol in symbols(tex)))


def symbols_used(cells: Sequence[Cell]) -> dict[str, int]:
    """Return the symbols of a chapter with the line of the file on which each is first used."""
    used: dict[str, int] = {}
    for cell in cells:
        if cell.kind == "markdown":
            for tex, line in formulas(cell.source):
                for symbol in symbols(tex):
                    used.setdefault(symbol, cell.line + line)
    return used


def symbol_problems(used: Mapping[str, int], sections: Sequence[Section], *, path: str) -> list[Problem]:
    """Return a problem for each symbol of a chapter that the notation page explains neither for it nor for all."""
    mine = [section for section in sections if not section.chapters or path in section.chapters]
    known = {symbol for section in mine for symbol in section.symbols}
    return [
        Problem(path, line, f"the notation page does not explain ${symbol}$ for this chapter")
        for symbol, line in used.items()
        if symbol not in known
    ]


def repeated_symbols(sections: Sequence[Section], path: str) -> list[Problem]:
    """Return a problem for each symbol that two rows explain for one chapter."""
    problems = set()
    for chapter in sorted({chapter for section in sections for chapter in section.chapters}):
        seen: dict[str, int] = {}
        for section in sections:
            if not section.chapters or chapter in section.chapters:
                for symbol, line in section.rows:
                    if symbol in seen:
                        message = f"${symbol}$ is explained here and on line {seen[symbol]}, both for {chapter}"
                        problems.add(Problem(path, line, message))
                    seen.setdefault(symbol, line)
    return sorted(problems)
