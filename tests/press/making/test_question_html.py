"""The question's guess and answer, and cells of checks, on the page that the press makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jupytext
import pytest
from bs4 import BeautifulSoup
from made_page import CHAPTER, HEADER, MadePages

NASTY = 'a<b> & "c"'


@pytest.fixture
def made(tmp_path: Path) -> MadePages:
    return MadePages(tmp_path)


def guessed(**changed: Any) -> dict[str, Any]:
    return shown({"role": "guess", "asked": f"Is it {NASTY}?", "unit": "s", "options": [], **changed})


def answered(**changed: Any) -> dict[str, Any]:
    rows = [["by $n$", "0.40 s"], [f"`x` {NASTY}", "0.50 s"]]
    return shown({"role": "answer", "rows": rows, "unit": "s", "right": "", "number": 0.5, **changed})


def shown(book: dict[str, Any]) -> dict[str, Any]:
    text = "\n".join(value for _, value in book.get("rows", []))
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {"book": book}}


def page(made: MadePages, outputs: list[dict[str, Any]]) -> BeautifulSoup:
    made.chapter("# One\n\n## The question\n\nText.\n", outputs)
    return BeautifulSoup(made.rendered(CHAPTER).html, "html.parser")


def test_a_guess_is_a_field_with_its_unit(made: MadePages) -> None:
    guess = page(made, [guessed(), answered()]).select_one(".guess")
    assert guess is not None
    assert guess["data-unit"] == "s"
    assert guess.label is not None
    assert " ".join(guess.label.text.split()) == f"Is it {NASTY}? s"
    assert guess.select_one("label input[name=guess]") is not None
    assert made.problems() == []


def test_a_choice_has_its_options(made: MadePages) -> None:
    options = [NASTY, "tree"]
    told = answered(unit="", right="tree", number=None, rows=[["b", "c"]])
    found = page(made, [guessed(unit="", options=options), told])
    assert [radio["value"] for radio in found.select(".guess fieldset input[type=radio]")] == options
    assert found.select_one(".answer[data-right=tree]") is not None
    assert made.problems() == []


def test_the_answer_has_a_place_for_the_guess_above_its_rows(made: MadePages) -> None:
    box = page(made, [guessed(), answered()]).select_one(".answer")
    assert box is not None
    assert box["data-number"] == "0.5"
    own, first, last = box.select("tr")
    assert own["class"] == ["own-guess"]
    assert own.select_one("a[href='#the-question']") is not None
    assert first.select_one("th math") is not None
    assert last.select_one("th code") is not None
    assert [row.td.text for row in (first, last) if row.td] == ["0.40 s", "0.50 s"]


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([guessed()], "one guess and shows one answer after it, this one has: guess"),
        ([answered(), guessed()], "this one has: answer, guess"),
        ([guessed(), guessed(), answered()], "this one has: guess, guess, answer"),
        ([guessed(unit="ms"), answered()], "the answer must be in the guess's unit 'ms', got 's'"),
        (
            [guessed(unit="", options=["a", "b"]), answered(unit="", right="c", number=None)],
            "the right option must be one of the guess's (a, b), got 'c'",
        ),
    ],
)
def test_a_question_that_is_not_answered_is_refused(
    made: MadePages, outputs: list[dict[str, Any]], message: str
) -> None:
    made.chapter("# One\n\n## The question\n\nText.\n", outputs)
    (found,) = made.problems()
    assert message in found
    assert found.startswith(f"{CHAPTER}:17:")


def test_the_numbers_of_an_answer_are_shown_to_the_prose(made: MadePages) -> None:
    prose = "# One\n\n## The question\n\nIt takes 0.40 s.\n"
    made.chapter(prose, [guessed(), answered()])
    assert made.problems() == []
    made.chapter(prose.replace("0.40", "0.41"), [guessed(), answered()])
    assert "no cell prints or asserts the number '0.41'" in made.problems()[0]


def test_a_cell_of_checks_is_one_line_that_opens(made: MadePages) -> None:
    code = "# the ring's `bytes`,\n# for $N = 4$\n\nassert 1 + 1 == 2\nprint('seen')"
    text = f'{HEADER}# One\n\n```python tags=["check"]\n{code}\n```\n'
    made.write(CHAPTER, text)
    notebook = jupytext.reads(text, fmt="md")
    notebook.cells[-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "seen\n"}]
    made.write(str(Path(CHAPTER).with_suffix(".ipynb")), json.dumps(notebook))
    fold = BeautifulSoup(made.rendered(CHAPTER).html, "html.parser").select_one("details.cell-check")
    assert fold is not None
    assert not fold.has_attr("open")
    assert fold.summary is not None
    assert fold.summary.text.startswith("✓ checked: the ring's bytes, for ")
    assert fold.summary.select_one("code") is not None
    assert fold.summary.select_one("math") is not None
    assert "assert" in fold.text
    assert "seen" in fold.text
    assert "# the ring" not in fold.text


def test_the_checks_of_a_section_are_one_mark(made: MadePages) -> None:
    check = '```python tags=["check"]\n# {0}, against {0}\nassert {0} == {0}\n```\n\n'
    text = (
        f"{HEADER}# One\n\n## First\n\n{check.format(1)}Some prose.\n\n{check.format(2)}### Below\n\n{check.format(3)}"
        f"## Second\n\n{check.format(4)}"
    )
    made.write(CHAPTER, text)
    made.write(str(Path(CHAPTER).with_suffix(".ipynb")), json.dumps(jupytext.reads(text, fmt="md")))
    page = BeautifulSoup(made.rendered(CHAPTER).html, "html.parser")
    folds = page.select("details.cell-check")
    assert [fold.summary.text for fold in folds if fold.summary] == ["✓ 3 checks", "✓ checked: 4, against 4"]
    assert [line.text for line in folds[0].select("p")] == [f"✓ {n}, against {n}" for n in (1, 2, 3)]
    assert [code.text for code in folds[0].select("pre")] == [f"assert {n} == {n}\n" for n in (1, 2, 3)]
