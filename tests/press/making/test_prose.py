"""The prose of a page: cells converted as one document, dollars, included code."""

from __future__ import annotations

from pathlib import Path

import pytest

from press.making import prose

EXTENSIONS = ["footnotes", "md_in_html", "sane_lists", "toc", "pymdownx.arithmatex"]
CONFIGS = {"pymdownx.arithmatex": {"generic": True}}


@pytest.fixture
def converter():  # type: ignore[no-untyped-def]
    return prose.SiteMarkdown(EXTENSIONS, CONFIGS)


def test_cells_share_footnotes_links_and_heading_ids(converter) -> None:  # type: ignore[no-untyped-def]
    first, code, last = prose.convert(
        converter, ["# Sum\n\nA claim[^1] and a [link].", "", "# Sum\n\n[link]: https://example.org\n\n[^1]: The note."]
    ).cells
    assert 'href="https://example.org"' in first
    assert 'id="sum"' in first
    assert 'id="sum_1"' in last
    assert "The note." in last
    assert code.strip() == ""


def test_a_fold_may_span_cells(converter) -> None:  # type: ignore[no-untyped-def]
    opening, closing = prose.convert(
        converter, ['<details markdown="1"><summary>S</summary>\n\n**in**', "*in too*\n\n</details>\n\nout"]
    ).cells
    assert "<details>" in opening
    assert "<strong>in</strong>" in opening
    assert "<em>in too</em>" in closing
    assert closing.index("</details>") < closing.index("out")


def test_a_list_begins_where_it_says(converter) -> None:  # type: ignore[no-untyped-def]
    _, second = prose.convert(converter, ["1. one\n2. two", "3. three"]).cells
    assert '<ol start="3">' in second


def test_money_is_an_entity_and_tex_is_not(converter) -> None:  # type: ignore[no-untyped-def]
    (cell,) = prose.convert(converter, [r"It costs \$2, which is $x$ and `\$y`."]).cells
    assert "&#36;2" in cell
    assert r'<span class="arithmatex">\(x\)</span>' in cell
    assert r"<code>\$y</code>" in cell


def test_an_include_shows_the_function_itself(tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_text("import math\n\n@cache\ndef area(r):\n    return math.pi * r * r\n\nx = 1\n")
    text = prose.expand_includes('   [code](solution.py "include: area")\n', tmp_path, tmp_path, _fail)
    assert text == "   ```python\n   @cache\n   def area(r):\n       return math.pi * r * r\n   ```\n"
    assert prose.included_paths('[code](solution.py "include: area")') == ["solution.py"]


def test_an_include_in_a_sentence_is_a_plain_link(tmp_path: Path) -> None:
    text = 'See [code](solution.py "include: area") there.'
    assert prose.expand_includes(text, tmp_path, tmp_path, _fail) == text


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ('[code](missing.py "include: area")', "the included file missing.py does not exist"),
        ('[code](solution.py "include: volume")', "solution.py has no function or class 'volume'"),
    ],
)
def test_an_include_that_leads_nowhere_is_reported(tmp_path: Path, link: str, message: str) -> None:
    (tmp_path / "solution.py").write_text("def area(r): ...\n")
    reports: list[tuple[str, str]] = []
    prose.expand_includes(link, tmp_path, tmp_path, lambda piece, text: reports.append((piece, text)))
    assert reports == [(link, message)]


def _fail(piece: str, message: str) -> None:
    raise AssertionError(f"{message} at {piece}")
