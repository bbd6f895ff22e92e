"""Numbers in prose are held to what the cells print and assert."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from press.making.asserted import asserted_numbers
from press.making.numbers import number_problems, shown_numbers, stated_numbers
from press.reading.chapter import Cell


def values(prose: str) -> list[str]:
    return [number.written for number in stated_numbers(prose)]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("12 ranks and 8 stages", []),
        ("16 bytes a parameter", ["16"]),
        ("at 5% and 7\u00a0GB/s, in 3 ms, 4 TFLOP/s, 2 s", ["5", "7", "3", "4", "2"]),
        ("82.4 and 0.26 and 1.5", ["82.4", "0.26"]),
        ("8,192 tokens, $14{,}336$, $8192 \\times 14336$", ["8,192", "14{,}336", "8192", "14336"]),
        ("$7\\,\\text{GB}$ and $9\\ \\mathrm{ms}$ and $3$ GB", ["7", "9", "3"]),
        ("6 × 10²³ and $1.4 \\cdot 10^{-3}$", ["6 × 10²³", "1.4 \\cdot 10^{-3}"]),
        ("$2^{30}$, $10^9$, 10⁹, $x^{128}$", []),
        ("H100, A100-80GB, bf16, 175B, GPT-3, Llama 3 405B, DGX-100", []),
        ("## For the 70B on 256 GPUs\n\nThe 70B on 256 GPUs waits on 128 GPUs.", ["128"]),
        ("in section 310, Table 4.128, tables 100 and 200, step 1000", []),
        ("[Hoffmann 2022](../r.md#h) and `x = 1000` and <b data-x='500'>", []),
        ("```text\n5000\n```\n\n> ~~~\n", []),
        ("**Level:** Beginner · **Time:** 25 minutes", []),
        ("a 100-GPU job", ["100"]),
        ("(see 4,096–8,192)", ["4,096", "8,192"]),
    ],
)
def test_which_numbers_count(prose: str, expected: list[str]) -> None:
    assert values(prose) == expected


def test_each_number_knows_its_place() -> None:
    prose = "`100` one\n\ntwo 200"
    (number,) = stated_numbers(prose)
    assert prose[number.position :].startswith("200")


def test_what_is_printed_counts_and_figures_do_not() -> None:
    outputs: list[dict[str, Any]] = [
        {"output_type": "stream", "text": ["17.9% and 8,192\n", "1.40e+12"]},
        {"output_type": "execute_result", "data": {"text/plain": ["(58.7, -3)"]}},
        {"output_type": "display_data", "data": {"image/svg+xml": "<text>999</text>", "text/plain": "777"}},
        {"output_type": "display_data", "data": {"text/markdown": "555"}, "metadata": {"book": {"role": "caption"}}},
    ]
    assert shown_numbers(outputs) == {Decimal(text) for text in ("17.9", "8192", "1.4e12", "58.7", "3")}


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("y = 12345\nassert abs(f(y) - 1.56e9) < 0.5, 'no'", ["1.56e9", "0.5"]),
        ("assert f(1024) == 7", ["1024", "7"]),
        ("x = f(3)\ny = x / 2\nassert y == 8", ["8"]),
        ("from a import b\nassert b.c == 8", ["8"]),
        ("for a, b in pairs(3):\n    assert b == 8", ["8"]),
        ("assert all(x == 8 for x in f())", ["8"]),
        ("assert [x / 2 for x in f()] == [8, 9]", ["2", "8", "9"]),
        ("with f() as x:\n    assert x == 8", ["8"]),
        ("def g(x):\n    assert x == 8", ["8"]),
        ("assert np.allclose(f(), 8, atol=0.1)", ["8", "0.1"]),
        ("assert (x := f()) == 8", ["8"]),
        ("%time x = f()\nassert f() == 8", ["8"]),
        ("ranks = 1024\nassert ranks == 1024", []),
        ("assert (8 * 8) / (4 * 4) == 4", []),
        ("assert round(14 / 9, 2) == 1.56 and len([1, 2]) == 2", []),
        ("assert f(1) == 3 and 4 * 4 == 16", ["1", "3"]),
        ("assert (f(1), 4 * 4) == (3, 16)", ["1", "3"]),
        ("assert [n + 1 for n in (240, 192)] == [241, 193]", []),
        ("assert math.isclose(4.5, 4.5)", []),
        ("assert ok(True)", []),
        ("assert f() == float('inf') == 1e999", []),
        ("def (", []),
        ("%pip install x", []),
    ],
)
def test_a_number_counts_beside_something_computed(source: str, numbers: list[str]) -> None:
    assert asserted_numbers([source]) == {Decimal(number) for number in numbers}


def test_a_name_may_be_computed_in_another_cell() -> None:
    assert asserted_numbers(["assert z == 8", "z = y + 1", "y = f()"]) == {Decimal(8)}


def chapter(*texts: tuple[str, str, str]) -> tuple[list[Cell], list[dict[str, Any]]]:
    """Cells given as (kind, source, what they print)."""
    cells = [Cell(kind, source, {}, 10 * number + 1) for number, (kind, source, _) in enumerate(texts)]
    runs = [{"outputs": [{"output_type": "stream", "text": [printed]}]} for _, _, printed in texts]
    return cells, runs


def problems(cells: list[Cell], runs: list[dict[str, Any]], exceptions: object = None) -> list[str]:
    return [str(problem) for problem in number_problems(cells, runs, exceptions or {}, path="a.md")]


def test_a_number_without_a_cell_is_named_with_its_line() -> None:
    cells, runs = chapter(("markdown", "one\ntakes 58.8 MB", ""), ("code", "x", "58.7 MB"))
    assert problems(cells, runs) == ["a.md:2: no cell prints or asserts the number '58.8'"]


def test_values_are_compared_not_spellings() -> None:
    cells, runs = chapter(("markdown", "$1.40 \\times 10^{3}$ B, 8,192, 0.50 ms", ""), ("code", "x", "1400 8192 0.5"))
    assert problems(cells, runs) == []


def test_a_caption_is_prose() -> None:
    cells, runs = chapter(("code", "x", "1"))
    caption = {"data": {"text/markdown": "Of 640 blocks"}, "metadata": {"book": {"role": "caption"}}}
    runs[0]["outputs"].append(caption)
    assert problems(cells, runs) == ["a.md:1: no cell prints or asserts the number '640'"]


def test_an_exception_needs_a_reason_and_a_use() -> None:
    cells, runs = chapter(("markdown", "in 2017", ""))
    assert problems(cells, runs, {"2017": "a year"}) == []
    assert "must give each number a reason" in problems(cells, runs, {"2017": ""})[0]
    assert "must give each number a reason" in problems(cells, runs, ["2017"])[0]
    unused = problems(cells, runs, {"2017": "a year", "2018": "a year"})
    assert unused == ["a.md:1: unchecked_numbers lists '2018', which the text does not need"]
    cells, runs = chapter(("markdown", "in 2017", ""), ("code", "x", "2017"))
    assert "which the text does not need" in problems(cells, runs, {"2017": "a year"})[0]
