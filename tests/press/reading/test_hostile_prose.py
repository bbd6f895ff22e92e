"""Prose that would lead the build astray, or let text vanish in silence, is refused where it stands."""

from __future__ import annotations

import pytest
from made_page import CHAPTER, PAGE, MadePages

from press.making.mathematics import typeset
from press.reading import markup


@pytest.mark.parametrize(
    ("prose", "message"),
    [
        pytest.param("[" * 2000 + "x" + "]" * 2000, "'[', at most 1000", id="brackets"),
        pytest.param("[" * 50 + "x" + "]" * 50, "brackets are nested 50 deep", id="brackets below the limit of signs"),
        pytest.param(" ".join("`" * n for n in range(1, 3001)), "a paragraph has", id="runs of backticks"),
        pytest.param("`a " * 3000, "3000 times '`'", id="backticks"),
        pytest.param("<a " * 3000, "3000 times '<'", id="angles"),
        pytest.param("\\(" * 5000, "5000 times '\\\\('", id="brackets of TeX"),
        pytest.param("word " * 5000, "a paragraph has 24999 characters", id="a long paragraph"),
        pytest.param(">" * 3000 + " x", "quotes and lists are nested 3000 deep", id="quotes"),
        pytest.param("- " * 3000 + "x", "nested 3000 deep", id="lists in a line"),
        pytest.param("1. " * 3000 + "x", "nested 3000 deep", id="numbered lists in a line"),
        pytest.param(
            "\n".join("    " * n + "- x" for n in range(30)),
            "24: quotes and lists are nested 21 deep",
            id="lists by indent",
        ),
        pytest.param(
            "\n".join("> " * n + "- x" for n in range(30)),
            "23: quotes and lists are nested 21 deep",
            id="lists in quotes",
        ),
    ],
)
def test_what_no_converter_can_be_given(made_pages: MadePages, prose: str, message: str) -> None:
    (problem,) = made_pages.problems_of(f"# T\n\n{prose}\n")
    assert problem.startswith(f"{PAGE}:{message}" if message[0].isdigit() and ":" in message else f"{PAGE}:3: ")
    assert message in problem


def test_tags_nested_too_deep_are_refused(made_pages: MadePages) -> None:
    prose = "<div markdown='1'>\n\n" * 1500 + "x" + "\n\n</div>" * 1500
    problems = made_pages.problems_of(prose)
    assert f"{PAGE}:101: tags are nested more than {markup.DEEPEST_TAGS} deep" in problems


def test_code_may_have_what_prose_may_not(made_pages: MadePages) -> None:
    code = "[" * 2000 + "`" * 4000 + "<" * 2000
    assert made_pages.problems_of(f"~~~text\n{code}\n~~~\n") == []


def test_captions_are_held_to_the_same(made_pages: MadePages) -> None:
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": "[" * 2000}}
    made_pages.chapter("Text.", [output])
    assert [problem for problem in made_pages.problems() if f"{CHAPTER}:12: a paragraph has 2000" in problem]


@pytest.mark.parametrize(
    ("tex", "message"),
    [
        ("{" * 2000 + "x" + "}" * 2000, "nested 2000 deep"),
        ("x^{" * 100 + "x" + "}" * 100, "nested 100 deep"),
        ("\\left(" * 300 + "x" + "\\right)" * 300, "nested 300 deep"),
        ("\\begin{matrix}" * 60 + "x" + "\\end{matrix}" * 60, "nested 61 deep"),
        ("\\sqrt" * 20_000 + " x", "has 100002 signs"),
        ("{" * 20_000 + "x" + "}" * 20_000, "has 40001 signs"),
    ],
)
def test_formulas_that_would_end_the_process(tex: str, message: str) -> None:
    reported: list[str] = []
    page = typeset(f'<span class="arithmatex">\\({tex}\\)</span>', lambda _, text: reported.append(text))
    assert message in reported[0]
    assert len(reported) == 1
    assert "<mtext>?</mtext>" in page


def test_a_formula_as_deep_as_people_write_them_is_typeset() -> None:
    tex = "\\frac{1}{" * 12 + "\\left(\\{x\\}\\right)" + "}" * 12
    reported: list[str] = []
    page = typeset(f'<span class="arithmatex">\\({tex}\\)</span>', lambda _, text: reported.append(text))
    assert reported == []
    assert "<mfrac>" in page


@pytest.mark.parametrize(
    ("prose", "line", "message"),
    [
        ("A\n\n<!-- B\n\nC", 3, "the comment that begins here is never closed"),
        ("A <!-- B\n\nC", 1, "the comment that begins here is never closed"),
        ("A\n\n<pre>B\n\nC", 3, "the tag <pre> is never closed"),
        ("A\n\n<div>\n\nB", 3, "the tag <div> is never closed"),
        ("A\n\n<details markdown='1'>\n<summary>x\n\nB", 4, "the tag <summary> is never closed"),
        ("<details markdown='1'>\n<summary>x</summary>\n\nB", 1, "the tag <details> is never closed"),
        ("<p>A\n\n*B*", 1, "the tag <p> is never closed"),
        ("A\n\n<details\n\nB", 3, "the tag <details that begins here has no >"),
        ("A\n</div>", 2, "</div> closes no tag"),
        ("Run it -n <ranks> times", 1, "the tag <ranks> is never closed (a < that opens no tag is written &lt;)"),
        ("A\n\n<!--press-cell-3-->\n\nB", 3, "comments that begin with press-"),
        ("A\n\n<!--press-end-of-chapter-->\n\nB", 3, "comments that begin with press-"),
        ("So\n$x % y$ is", 2, "in TeX a % begins a comment, so that '% y' would vanish"),
        ("$$\n1 % 2\n$$", 2, "'% 2' would vanish"),
        ("| a |\n|---|\n| b | c |", 3, "the table's row has 2 cells, its head 1"),
        ("$y$\n\n| a | b |\n|---|---|\n| c | $|x|$ |", 5, "a | inside a formula cuts the table's cell"),
        ("`$` and $x$\n\ncost $5", 3, "a dollar sign is left in the page: '$5'"),
        ("$$a \\label{eq:t}$$\n\n$$b\n\\label{eq:t}$$", 4, "another equation of this page is labelled 'eq:t' already"),
        ("<ol start=x><li>a</li></ol>", 1, "a list must begin with a whole number, got start='x'"),
        ("# T {#one}\n\n# U {#one}", 1, "the id 'one' stands twice in the page"),
        ("## A\n\n### Exercise 1 · B\n\n## C\n\n### Exercise 1 · D", 7, "exercise 1 stands twice in the page"),
    ],
)
def test_each_is_refused_where_it_stands(made_pages: MadePages, prose: str, line: int, message: str) -> None:
    header = "---\ntitle: T\n---\n\n"
    problems = made_pages.problems_of(header + prose)
    assert any(problem.startswith(f"{PAGE}:{line + 4}: ") and message in problem for problem in problems), problems


@pytest.mark.parametrize(
    "prose",
    [
        "<!-- a ` and a $ --> and\n<!--\n\n<div>\n\n--> `b <c>` $a<b>c$ <https://example.org>",
        "<details markdown='1'><summary>S</summary>\n\n<img src='a.svg' alt='a > b'><br>\n\n</details>",
        "<svg><path d='M0 0'/></svg> 1 < 2 <b>x</b>",
        "```html\n<div>\n<!--press-cell-3-->\n```\n\n    ```text\n    <pre>\n    ```",
        "$x \\% y$ and $\\lvert x \\rvert$\n\n| $\\mid$ | `a|b` |\n|---|---|\n| $\\|x\\|$ | \\| |",
        "A claim[^1] is made, x[0]\\[1], and [so] on.\n\n[^1]: Here.",
        "$$\\begin{equation}x \\label{eq:u}\\end{equation}$$",
        "$$\\begin{equation}a \\label{eq:t}\\end{equation}$$\n\n\\$5",
    ],
)
def test_what_is_no_fault(made_pages: MadePages, prose: str) -> None:
    made_pages.write("docs/a.svg", "")
    assert made_pages.problems_of(prose) == []


def test_a_fold_that_spans_cells_is_closed_in_another(made_pages: MadePages) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "1"}
    made_pages.chapter("</details>", [output])
    (problem,) = made_pages.problems()
    assert problem == f"{CHAPTER}:15: </details> closes no tag"
    opened = "<details markdown='1'><summary>S</summary>"
    cells = markup.faults([opened, "", "</details>"])
    assert cells == []


def test_a_footnote_is_no_exercise(made_pages: MadePages) -> None:
    prose = "# T\n\nA claim[^1].\n\n[^1]: The note.\n\n## Exercises\n\n1. Why?\n\n2. How?\n"
    assert made_pages.problems_of(prose) == []


def test_an_exponent_beyond_all_numbers(made_pages: MadePages) -> None:
    power = "9" * 1000
    made_pages.chapter(f"A\n\n$3 \\cdot 10^{{{power}}}$ bytes, 1e{power} s, 10⁻ and 6 × 10⁻ bytes.\n")
    problems = made_pages.problems()
    assert len(problems) == 2
    assert all(problem.startswith(f"{CHAPTER}:13: no cell prints or asserts the number") for problem in problems)


def test_a_page_that_cannot_be_made_does_not_keep_the_others_from_being_made(
    made_pages: MadePages, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made_pages.write(PAGE, "# T\n\nGood.\n")
    made_pages.write("docs/bad.md", "# Bad\n")
    real = markup.faults

    def faults(cells: list[str]) -> list[markup.Finding]:
        if "Bad" in cells[0]:
            raise KeyError("nobody expects this")
        return real(cells)

    monkeypatch.setattr("press.making.page.faults", faults)
    with caplog.at_level("DEBUG", "press"):
        assert made_pages.problems() == ["docs/bad.md:1: the page could not be made: KeyError: 'nobody expects this'"]
    assert "Traceback" in caplog.text
    assert "Good." in made_pages.rendered().html
