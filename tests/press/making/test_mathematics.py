"""TeX becomes MathML; what does not parse or leads nowhere is reported; the font holds what the pages draw."""

from __future__ import annotations

import io
from pathlib import Path

from fontTools.ttLib import TTFont

from press.kept import write_kept
from press.making.mathematics import characters, font_woff2, typeset


def inline(tex: str) -> str:
    return rf'<span class="arithmatex">\({tex}\)</span>'


def display(tex: str) -> str:
    return rf'<div class="arithmatex">\[{tex}\]</div>'


def run(page: str) -> tuple[str, list[tuple[str, str]]]:
    reports: list[tuple[str, str]] = []
    return typeset(page, lambda tex, message: reports.append((tex, message))), reports


def test_forward_reference_gets_the_number() -> None:
    page = inline(r"\eqref{eq:b}") + "".join(
        display(rf"\begin{{equation}} {name} = 1 \label{{eq:{name}}} \end{{equation}}") for name in "ab"
    )
    text, reports = run(page)
    assert reports == []
    assert '<a href="#eq:b">(2)</a>' in text
    assert 'id="eq:a"' in text
    assert "arithmatex" not in text


def test_escaped_html_is_tex_again() -> None:
    text, reports = run(inline("a &lt; b"))
    assert reports == []
    assert "<mo>&lt;</mo>" in text


def test_each_wrong_formula_is_reported_and_the_others_are_set() -> None:
    text, reports = run(inline("x") + inline(r"\frac{1}") + inline("y") + inline(r"\unknown"))
    assert [tex for tex, _ in reports] == [r"\frac{1}", r"\unknown"]
    assert all("does not parse" in message for _, message in reports)
    assert "<mi>x</mi>" in text
    assert "<mi>y</mi>" in text


def test_a_reference_without_equation_is_reported() -> None:
    _, reports = run(inline(r"\eqref{eq:gone}"))
    assert reports == [("{eq:gone}", "no equation of this page is labelled 'eq:gone'")]


def test_display_formulas_scroll_in_a_box_of_their_own() -> None:
    text, _ = run(display("x"))
    assert text.startswith('<div class="math-display"><math display="block">')


def test_font_holds_each_character_that_a_page_draws(tmp_path: Path) -> None:
    text, _ = run(inline(r"\sum_{k} h_k \le \alpha \mathbb{R}") + display(r"\left(\frac{A}{B}\right)"))
    used = characters(text)
    assert {"∑", "≤", "ℝ", "ℎ", "𝛼", "𝐴"} <= used
    assert "√" not in used
    assert "√" in characters(run(inline(r"\sqrt{x}"))[0])
    data = font_woff2(used, tmp_path)
    font = TTFont(io.BytesIO(data))
    assert {ord(character) for character in used if not character.isspace()} <= set(font.getBestCmap())
    assert "MATH" in font
    assert len(data) < 40_000


def test_font_is_cut_once_and_to_the_same_bytes(tmp_path: Path) -> None:
    first = font_woff2({"x"}, tmp_path / "a")
    assert font_woff2({"x"}, tmp_path / "b") == first
    (file,) = (tmp_path / "a").iterdir()
    write_kept(file, b"kept")
    assert font_woff2({"x"}, tmp_path / "a") == b"kept"
