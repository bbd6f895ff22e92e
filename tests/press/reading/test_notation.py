"""The symbols of a chapter are held to its letters."""

from __future__ import annotations

import pytest

from press.reading.chapter import Cell
from press.reading.notation import (
    formulas,
    letters_of,
    read_alphabet,
    read_letters,
    repeated_symbols,
    symbol_problems,
    symbols,
    symbols_used,
)

NOTATION = r"""# Notation

| letter | meaning | unit |
|---|---|---|
| $N$, $r$ | ranks, and a rank's number | |
"""
CHAPTER = r"""---
title: Ring
---

# Ring

<details markdown="1"><summary>Letters of this chapter</summary>

| letter | meaning | unit |
|---|---|---|
| $\alpha$; $T(n)$ | latency $l$ | s |
| $\hat g_r = \sum_i g_i$ | a sum | |

</details>

A $\beta$.
"""
RING = "chapters/collectives/13-ring.md"


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"2(N-1)/N", ["N", "N"]),
        (r"mkn", ["m", "k", "n"]),
        (r"\hat{g}_p + \bar g", [r"\hat g", "p", r"\bar g"]),
        (r"\mathbb{E}\,x \in \mathbb R", [r"\mathbb E", "x", r"\mathbb R"]),
        (r"\textstyle\sum_b \text{all ranks} \max(x) \dots \operatorname{Var} f", ["b", "x", "f"]),
        (
            r"A^{\mathsf T}\alpha\ell_e \label{eq:x} \begin{equation} y \end{equation}",
            ["A", r"\alpha", r"\ell", "e", "y"],
        ),
        (r"\frac{\partial L}{\partial \theta} \le \infty", ["L", r"\theta"]),
    ],
)
def test_what_is_a_symbol(tex: str, expected: list[str]) -> None:
    assert symbols(tex) == expected


def test_where_formulas_are() -> None:
    text = "a $x$ and `$no$`\n\n$$\ny\n$$\n\n```\n$no$\n```\ncosts \\$5, $z$"
    assert list(formulas(text)) == [("x", 0), ("\ny\n", 2), ("z", 9)]


def test_letters_are_read_from_a_chapters_fold() -> None:
    own = letters_of(CHAPTER)
    assert own
    assert own.symbols == {r"\alpha", "T", "n", r"\hat g", "r", "i", "g"}
    assert own.rows == ((r"\alpha", 11), ("T(n)", 11), (r"\hatg_r", 12))
    assert own.table.startswith("| letter |")
    assert own.table.endswith("| a sum | |")
    assert letters_of("# Ring\n\nA $\\beta$.\n") is None


def test_a_symbol_has_to_be_explained_by_the_chapter_or_for_all() -> None:
    cells = [
        Cell("markdown", "$N$ ranks\n$\\hat g = H$", {}, 11),
        Cell("code", "'$q$'", {}, 20),
        Cell("markdown", "$H$ $\\bar g$", {}, 31),
    ]
    used = symbols_used(cells)
    assert used == {"N": 11, r"\hat g": 12, "H": 12, r"\bar g": 31}
    own = letters_of(CHAPTER)
    assert own
    assert [str(problem) for problem in symbol_problems(used, [read_letters(NOTATION), own], path=RING)] == [
        f"{RING}:12: the fold 'Letters of this chapter' does not explain $H$",
        f"{RING}:31: the fold 'Letters of this chapter' does not explain $\\bar g$",
    ]


@pytest.mark.parametrize(
    ("row", "problems"),
    [
        ("| $x$, $H = 2$ | again | |", []),
        ("| $x$, $T(n)$ | again | |", ["13: $T(n)$ is explained here and on line 11"]),
        ("| $N$ | again | |", ["13: $N$ is explained here and on the notation page, for all chapters"]),
    ],
)
def test_a_symbol_is_explained_once(row: str, problems: list[str]) -> None:
    own = letters_of(CHAPTER.replace("| a sum | |", f"| a sum | |\n{row}"))
    assert own
    found = repeated_symbols(read_letters(NOTATION), own, RING)
    assert [str(problem) for problem in found] == [f"{RING}:{problem}" for problem in problems]


PAGE = r"""# Notation

| letter | meaning | unit | in code |
|---|---|---|---|
| $R$, $r$ | ranks; one of them | | ranks, devices; rank |
| $p$ | pipeline stages | | stages |
| $w$; $w_\text{g}$ | bytes | bytes | element_bytes |

## Where a chapter may differ

| letters | meaning there | chapters |
|---|---|---|
| $p$, $q$ | probabilities | A2, 13 |

## The letters of each chapter

| $z$ | not read |
"""


def test_the_alphabet_says_what_holds_for_a_chapter() -> None:
    alphabet = read_alphabet(PAGE)
    assert alphabet.letters.symbols == {"R", "r", "p", "w"}
    assert alphabet.exceptions == {"p": {"A2", "13"}, "q": {"A2", "13"}}
    assert alphabet.arguments == {"R": {"ranks", "devices"}, "r": {"rank"}, "p": {"stages"}, "w": {"element_bytes"}}
    assert "p" not in alphabet.holding_for("13").symbols
    assert alphabet.holding_for("18").rows == alphabet.letters.rows
    own = letters_of(CHAPTER.replace("| a sum | |", "| a sum | |\n| $p$ | a chance | |"))
    assert own
    assert repeated_symbols(alphabet.holding_for("13"), own, RING) == []
    assert len(repeated_symbols(alphabet.holding_for("18"), own, RING)) == 1
