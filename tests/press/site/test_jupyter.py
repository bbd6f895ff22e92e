"""A chapter's Markdown in notebooks: dollars, numbers of equations, callouts, and folds that go over several cells."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from sampling import CHAPTERS, ROOT

from press.making.exercise import shown_in
from press.reading.chapter import read_chapter
from press.site.addresses import Addresses
from press.site.jupyter import DOLLAR, for_jupyter
from press.site.notebook import published


def made(*sources: str) -> list[str]:
    """Return what becomes of cells of Markdown."""
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": source} for source in sources]
    for_jupyter(cells)
    return [cell["source"] for cell in cells]


def test_a_dollar_is_no_sign_of_mathematics() -> None:
    assert made("From \\$2 to \\$3, `\\$4`, $x = \\$5$.\n\n```sh\necho \\$6\n```") == [
        f"From {DOLLAR}2 to {DOLLAR}3, `\\$4`, $x = \\$5$.\n\n```sh\necho \\$6\n```"
    ]


def test_equations_are_numbered_over_all_cells_and_references_name_the_number() -> None:
    first = "See $\\eqref{eq:b}$.\n\n$$\\begin{equation} x = 1. \\label{eq:a} \\end{equation}$$"
    second = "$$\\begin{equation}\ny = 2\n\\label{eq:b}\n\\end{equation}$$\n\n"
    second += "$\\eqref{eq:a} + \\eqref{eq:b}$, $\\eqref{eq:c}$"
    assert made(first, second) == [
        "See (2).\n\n$$x = 1. \\tag{1}$$",
        "$$y = 2 \\tag{2}$$\n\n$(1) + (2)$, $\\eqref{eq:c}$",
    ]


def test_a_callout_begins_with_its_title() -> None:
    assert made("> [!TIP]\n> **Library shortcut.** Call it.") == ["> **Library shortcut.** Call it."]


def test_a_caption_is_text_too() -> None:
    caption: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [{"data": {"text/markdown": ["It costs ", "\\$2."]}}],
    }
    for_jupyter([caption])
    assert caption["outputs"][0]["data"]["text/markdown"] == f"It costs {DOLLAR}2."


def test_a_fold_over_several_cells_hides_them_all() -> None:
    def code() -> dict[str, Any]:
        return {"cell_type": "code", "metadata": {"tags": ["check"]}, "outputs": []}

    texts = ['A.\n\n<details markdown="1"><summary>Why</summary>\n\nB.', "C.\n\n</details>\n\nD.", "E."]
    prose = [{"cell_type": "markdown", "metadata": {}, "source": text} for text in texts]
    cells = [prose[0], code(), prose[1], code(), prose[2]]
    for_jupyter(cells)
    assert [cell["source"] for cell in prose] == [
        'A.\n\n<details markdown="1"><summary>Why</summary>\n\nB.\n\n</details>',
        "<details><summary>Why, continued</summary>\n\nC.\n\n</details>\n\nD.",
        "E.",
    ]
    assert cells[1]["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    assert cells[3]["metadata"] == {"tags": ["check"]}


def test_of_a_fold_that_ends_with_its_code_nothing_is_opened_again() -> None:
    assert made("<details><summary>Why</summary>\n\nA.", "</details>\n\nB.") == [
        "<details><summary>Why</summary>\n\nA.\n\n</details>",
        "B.",
    ]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_chapter_shows_a_solution_before_it_is_asked_for(path: Any) -> None:
    """Nor a sign that a notebook cannot show."""
    chapter = read_chapter(path, root=ROOT)
    shown = shown_in(chapter.text, chapter.name)
    records = {each.path: {"name": each.name, "stub": "stub", "solution": f"of_{each.name}\n"} for each in shown}
    whole = published(nbformat.writes(chapter.notebook).encode(), chapter.name, Addresses(), str, records)
    cells = nbformat.reads(whole.decode(), as_version=4).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    assert prose[0].startswith("# ")
    assert {cell.cell_type for cell in cells} == {"markdown", "code"}
    for each in shown:
        if each.kind == "solution":
            [before] = [text.split(f"of_{each.name}\n")[0] for text in prose if f"of_{each.name}\n" in text]
            assert before.count("<details") == before.count("</details>") + 1
    assert sum(cell.source == "stub" for cell in cells) == sum(each.kind == "exercise" for each in shown)
    for sign in ("\\$", "\\eqref", "\\label", "> [!"):
        assert not [text for text in prose if sign in text], sign
