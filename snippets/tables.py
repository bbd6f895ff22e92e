"""Figures: tables, in which a chapter shows numbers in columns: in a notebook, on the site, and as text.

A table is shown as Markdown, which notebooks and the site render, and which can be read as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Rational, Real
from typing import Any

import numpy as np
from IPython.display import display
from tabulate import tabulate

from snippets.domain import text

MISSING = "–"


def table(columns: Mapping[str, Sequence[Any]], *, formats: Mapping[str, str] | None = None) -> None:
    """Show a table of named columns: numbers to the right, words to the left, None as a dash.

    Args:
        columns: heading, with its unit, → the column's entries. Headings and words are Markdown, with TeX between
            dollar signs.
        formats: heading → how its numbers are written, as in an f-string; whole numbers are written with commas if
            nothing is said, and other numbers must have a format.

    >>> table({"algorithm": ["ring", "one root"], "time, s": [0.4035, 102]}, formats={"time, s": ".2f"})
    | algorithm   |   time, s |
    |:------------|----------:|
    | ring        |      0.40 |
    | one root    |    102.00 |
    """
    formats = {} if formats is None else formats
    for name, mapping in (("columns", columns), ("formats", formats)):
        if not isinstance(mapping, Mapping):
            raise ValueError(f"{name} must go from headings to what belongs to them, got {mapping!r}")
    for column in columns.values():
        if isinstance(column, str) or not isinstance(column, Sequence | np.ndarray):
            raise ValueError(f"columns must be lists of entries, got {column!r}")
    lengths = {heading: len(column) for heading, column in columns.items()}
    if not lengths or len(set(lengths.values())) > 1 or 0 in lengths.values():
        raise ValueError(f"columns must hold one column or more, equally long and not empty, got the lengths {lengths}")
    for heading in formats:
        if heading not in columns:
            raise ValueError(f"formats must name columns ({', '.join(columns)}), got {heading!r}")
    written = {
        text("columns", heading): [_written(entry, heading, formats.get(heading, "")) for entry in column]
        for heading, column in columns.items()
    }
    sides = ["right" if all(map(_is_number, column)) else "left" for column in columns.values()]
    markdown = tabulate(written, headers="keys", tablefmt="pipe", colalign=sides, disable_numparse=True)
    display(Shown(markdown))


@dataclass(frozen=True, repr=False)
class Shown:
    """Markdown that a cell shows: rendered in a notebook, as it stands in a terminal.

    >>> Shown("| a |")
    | a |
    """

    markdown: str

    def __repr__(self) -> str:
        return self.markdown

    def _repr_markdown_(self) -> str:
        return self.markdown


def _is_number(entry: Any) -> bool:
    return entry is None or (isinstance(entry, Real) and not isinstance(entry, bool))


def _written(entry: Any, heading: str, form: str) -> str:
    """Return an entry as it is written in its column."""
    if entry is None:
        return MISSING
    if not _is_number(entry):
        return str(entry).replace("|", r"\|")
    if not form and float(entry) != int(entry):
        raise ValueError(f"formats must say how numbers like {entry!r} are written, got no format for {heading!r}")
    number = float(entry) if isinstance(entry, Rational) and not isinstance(entry, int) else entry
    return format(number, form) if form else f"{int(entry):,}"
