"""The symbols of the chapters are held to the notation page."""

from __future__ import annotations

import pytest

from press.chapter import Cell
from press.notation import formulas, read_notation, repeated_symbols, symbol_problems, symbols, symbols_used

PAGE = r"""# Notation

## Everywhere

| symbol | meaning |
|---|---|
| $N$, $r$ | ranks, and a rank's number |

## Rings

For [13](../chapters/collectives/13-ring.md) and [14](../chapters/collectives/14-costs.md#x).

| symbol | meaning |
|---|---|
| $\alpha$; $T(n)$ | latency $l$ |
| $\hat g_r = \sum_i g_i$ | a sum |

## Words

For [A4](../chapters/background/a4.md).

| symbol | meaning |
|---|---|
| $H$ | entropy |
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


def test_the_page_is_read_by_sections() -> None:
    everywhere, rings, words = read_notation(PAGE, "docs/notation.md")
    assert everywhere.chapters == frozenset()
    assert rings.chapters == {RING, "chapters/collectives/14-costs.md"}
    assert rings.symbols == (r"\alpha", "T", "n", r"\hat g", "r", "i", "g")
    assert words.symbols == ("H",)


def test_a_symbol_has_to_be_explained_for_its_own_chapter() -> None:
    cells = [
        Cell("markdown", "$N$ ranks\n$\\hat g = H$", {}, 11),
        Cell("code", "'$q$'", {}, 20),
        Cell("markdown", "$H$ $\\bar g$", {}, 31),
    ]
    used = symbols_used(cells)
    assert used == {"N": 11, r"\hat g": 12, "H": 12, r"\bar g": 31}
    found = symbol_problems(used, read_notation(PAGE, "docs/notation.md"), path=RING)
    assert [str(problem) for problem in found] == [
        f"{RING}:12: the notation page does not explain $H$ for this chapter",
        f"{RING}:31: the notation page does not explain $\\bar g$ for this chapter",
    ]


def test_a_symbol_is_explained_once_for_a_chapter() -> None:
    def problems(page: str) -> list[str]:
        return [
            str(problem) for problem in repeated_symbols(read_notation(page, "docs/notation.md"), "docs/notation.md")
        ]

    assert problems(PAGE) == []
    words = "both for chapters/background/a4.md"
    again = PAGE + "| $x$, $H = 2$ | again |\n"
    assert problems(again) == [f"docs/notation.md:25: $H$ is explained here and on line 24, {words}"]
    everywhere = PAGE.replace("| $H$ |", "| $H$; $N$ |")
    assert problems(everywhere) == [f"docs/notation.md:24: $N$ is explained here and on line 7, {words}"]
    rings_alone = PAGE.replace("| $H$ |", "| $H$; $T(n)$ |")
    assert problems(rings_alone) == []
