"""Numbers in prose are held to what the cells print and assert."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from press.chapter import Cell
from press.numbers import asserted_numbers, number_problems, shown_numbers, stated_numbers


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


def test_only_assertions_count_in_code() -> None:
    source = "y = 12345\nassert abs(f(y) - 1.56e9) < 0.5, 'no'\nassert ok(True)"
    assert asserted_numbers(source) == {Decimal("1.56e9"), Decimal("0.5")}
    assert asserted_numbers("%pip install x") == set()


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
