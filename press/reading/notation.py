"""Holds a chapter's mathematics to the book's alphabet and to its own letters: each symbol is explained, once.

The alphabet stands on the notation page and holds for all chapters; a chapter's own letters stand in a fold at its head
and are none of the alphabet's, but for those in which the notation page lets the chapter differ.
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
EXCEPTIONS = "## Where a chapter may differ"
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


@dataclass(frozen=True)
class Alphabet:
    """What the notation page says: the letters of all chapters, and where a chapter may use one in its own sense.

    ``exceptions`` has, for a symbol, the numbers of the chapters that may. ``arguments`` has, for a letter, the names
    of the arguments for which it stands in the book's functions.
    """

    letters: Letters
    exceptions: Mapping[str, frozenset[str]]
    arguments: Mapping[str, frozenset[str]]

    def holding_for(self, number: str | None) -> Letters:
        """Return the letters that hold for a chapter: all but those in which it may differ."""
        free = {symbol for symbol, numbers in self.exceptions.items() if number in numbers}
        rows = tuple((symbol, line) for symbol, line in self.letters.rows if symbol not in free)
        return Letters(self.letters.table, self.letters.symbols - free, rows)


def read_alphabet(page: str) -> Alphabet:
    """Read the notation page: tables of letter, meaning, unit and arguments, then those of letters and chapters.

    The arguments of a row with several letters stand in the letters' order, with semicolons between.
    """
    everywhere, _, below = page.partition(EXCEPTIONS)
    arguments: dict[str, frozenset[str]] = {}
    for row in _rows(everywhere):
        letters = [symbol for tex, _ in formulas(row[0]) for symbol in symbols(tex)[:1]]
        names = [frozenset(re.findall(r"\w+", part)) for part in row[3].split(";")] if len(row) > 3 else []
        arguments |= dict(zip(letters, names, strict=False))
    exceptions = {
        symbol: frozenset(re.findall(r"\w+", row[-1]))
        for row in _rows(below.partition("\n## ")[0])
        for tex, _ in formulas(row[0])
        for symbol in symbols(tex)
    }
    return Alphabet(read_letters(everywhere), exceptions, arguments)


def _rows(text: str) -> list[list[str]]:
    """Return the cells of the rows of tables whose first cell has a formula."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("| ")]
    return [row for row in rows if "$" in row[0]]


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
