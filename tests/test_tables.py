"""Tables of a chapter: how numbers are written, where they stand, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from markdown import markdown

from snippets.tables import table


def cells(text: str) -> list[list[str]]:
    """Return the texts of a table's rows, the heading first, the rule left out."""
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.strip().splitlines()]
    return [heading, *rows]


@pytest.mark.parametrize(
    ("column", "form", "written"),
    [
        ([7, 12_345], "", ["7", "12,345"]),
        ([2.0, np.int64(3)], "", ["2", "3"]),
        ([0.25, 3], ".2f", ["0.25", "3.00"]),
        ([Fraction(1, 3), None], ".1%", ["33.3%", "–"]),
        ([np.float64(1.5e9), 2e-9], ".1e", ["1.5e+09", "2.0e-09"]),
        (["ring", None], "", ["ring", "–"]),
        ([True, False], "", ["True", "False"]),
    ],
)
def test_entries_are_written_as_the_column_says(
    capsys: pytest.CaptureFixture[str], column: list[Any], form: str, written: list[str]
) -> None:
    table({"what": column}, formats={"what": form} if form else {})
    assert cells(capsys.readouterr().out) == [["what"], *([entry] for entry in written)]


def test_numbers_stand_on_the_right_and_words_on_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    table({"name": ["a", "b"], "steps": [1, None], "either": ["–", 2]})
    rendered = markdown(capsys.readouterr().out, extensions=["tables"])
    assert rendered.count('<th style="text-align: right;">steps') == 1
    assert rendered.count('<th style="text-align: left;">') == 2


def test_a_bar_in_a_word_does_not_end_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    table({"what": ["|x|"], "n": [1]})
    rendered = markdown(capsys.readouterr().out, extensions=["tables"])
    assert rendered.count("<td") == 2
    assert "|x|" in rendered


@pytest.mark.parametrize(
    ("columns", "formats", "message"),
    [
        ({}, {}, "columns must hold one column or more, equally long and not empty, got the lengths {}"),
        ({"a": []}, {}, "got the lengths {'a': 0}"),
        ({"a": [1], "b": [1, 2]}, {}, "got the lengths {'a': 1, 'b': 2}"),
        ({"a": [1]}, {"b": ".2f"}, r"formats must name columns \(a\), got 'b'"),
        ({"a": [1.5]}, {}, "formats must say how numbers like 1.5 are written, got no format for 'a'"),
        ({3: [1]}, {}, "columns must be a text, got 3"),
    ],
)
def test_refused(columns: Any, formats: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        table(columns, formats=formats)
