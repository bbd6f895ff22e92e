"""Holds a chapter's mathematics to its own table of letters: a symbol that the chapter uses is explained there, once.

The table stands in a fold at the chapter's head. What the notation page explains besides is explained for all chapters.
Of a symbol, its letter, its font and its accent count: ``\\hat g_p`` is explained where ``\\hat g`` is. Names of
functions, text and numbers are no symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from press.problems import Problem
from press.reading.chapter import Cell
from press.reading.markup import without

FOLD = "Letters of this chapter"
_FOLD = re.compile(rf"<details markdown=\"1\"><summary>{FOLD}</summary>\n(.*?)</details>", re.DOTALL)
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
class Letters:
    """A table of letters: its Markdown, the symbols that it explains, and its rows.

    ``rows`` are pairs of what a row explains, as TeX without spaces, and its line in the file.
    """

    table: str
    symbols: frozenset[str]
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


@lru_cache(maxsize=256)  # a build asks for each chapter's more than once
def letters_of(chapter: str) -> Letters | None:
    """Return what stands in the fold of a chapter's text that explains its letters, ``None`` if it has none."""
    fold = _FOLD.search(chapter)
    if fold is None:
        return None
    table = fold[1].strip("\n")
    return read_letters(table, 1 + chapter.count("\n", 0, chapter.index(table, fold.start(1))))


def read_letters(text: str, line: int = 1) -> Letters:
    """Read tables of letters whose text begins on a line of its file: the first cell of a row has the symbols."""
    numbered = [(row.split("|")[1], line + n) for n, row in enumerate(text.split("\n")) if row.startswith("| ")]
    found = [symbol for cell, _ in numbered for tex, _ in formulas(cell) for symbol in symbols(tex)]
    rows = [(_head(tex), number) for cell, number in numbered for tex, _ in formulas(cell)]
    return Letters(text, frozenset(found), tuple(rows))


def _head(tex: str) -> str:
    """Return what a formula of the first column explains: all of it up to an equals sign, without spaces."""
    return re.sub(r"\s", "", tex.partition("=")[0])


def symbols_used(cells: Sequence[Cell]) -> dict[str, int]:
    """Return the symbols of a chapter with the line of the file on which each is first used."""
    used: dict[str, int] = {}
    for cell in cells:
        if cell.kind == "markdown":
            for tex, line in formulas(cell.source):
                for symbol in symbols(tex):
                    used.setdefault(symbol, cell.line + line)
    return used


def symbol_problems(used: Mapping[str, int], letters: Iterable[Letters], *, path: str) -> list[Problem]:
    """Return a problem for each symbol of a chapter that none of the tables explains that hold for it."""
    known = {symbol for table in letters for symbol in table.symbols}
    return [
        Problem(path, line, f"the fold {FOLD!r} does not explain ${symbol}$")
        for symbol, line in used.items()
        if symbol not in known
    ]


def repeated_symbols(everywhere: Letters, own: Letters, path: str) -> list[Problem]:
    """Return a problem for each row of a chapter's letters that explains what a row before it, or every page, does."""
    problems = []
    seen = {symbol: "on the notation page, for all chapters" for symbol, _ in everywhere.rows}
    for symbol, line in own.rows:
        if symbol in seen:
            problems.append(Problem(path, line, f"${symbol}$ is explained here and {seen[symbol]}"))
        seen.setdefault(symbol, f"on line {line}")
    return problems
