"""A quiz is read with the reasons for all its options, and refused where one is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_book import SmallBook

from press.making.quiz import FOLD, mark_quiz, read_quiz
from press.reading.chapter import Cell

QUIZ = f"""\
## Check yourself

1. Which call adds?
    - (a) all-gather
    - (b) all-reduce
    - (c) broadcast
2. How much is $1 + 1$?
    - (a) two
    - (b) three

{FOLD}

**1 (b).** It leaves the sum on all ranks.

- (a) It puts parts side by side.
- (c) One rank has all; (a) would be nearer.

**2 (a).** Count.

- (b) That is $1 + 2$.

</details>

## What to remember

1. Nothing.
"""


def read(text: str, line: int = 1) -> list[tuple[int, str]]:
    return [(found.line, found.message) for found in read_quiz([Cell("markdown", text, {}, line)], "a.md")[1]]


def test_every_option_has_its_reason() -> None:
    cells = [Cell("markdown", "# One\n\nText", {}, 7), Cell("code", "## Check yourself", {}, 11)]
    questions, problems = read_quiz([*cells, Cell("markdown", QUIZ, {}, 20)], "a.md")
    assert problems == []
    assert [(question.number, question.line, question.right) for question in questions] == [(1, 22, "b"), (2, 26, "a")]
    assert questions[0].options == {"a": "all-gather", "b": "all-reduce", "c": "broadcast"}
    assert questions[0].reasons == {
        "a": "It puts parts side by side.",
        "b": "It leaves the sum on all ranks.",
        "c": "One rank has all; (a) would be nearer.",
    }
    assert questions[1].text == "How much is $1 + 1$?"
    assert questions[1].reasons == {"a": "Count.", "b": "That is $1 + 2$."}


def test_a_chapter_without_a_quiz_has_nothing_to_refuse() -> None:
    assert read_quiz([Cell("markdown", "# One\n\n1. First\n\n## Exercises\n", {}, 1)], "a.md") == ([], [])
    assert mark_quiz("<ol>", []) == "<ol>"


def test_a_code_cell_may_stand_inside_the_section() -> None:
    before, _, after = QUIZ.partition("## What")
    cells = [Cell("markdown", before, {}, 1), Cell("code", "assert 1 + 1 == 2", {}, 31)]
    assert len(read_quiz([*cells, Cell("markdown", "## What" + after, {}, 35)], "a.md")[0]) == 2


def test_only_the_list_below_the_heading_is_marked() -> None:
    questions = read_quiz([Cell("markdown", QUIZ, {}, 1)], "a.md")[0]
    page = '<ol><li>x</ol><h2 id="check-yourself">C<a href="#">#</a></h2>\n<ol>\n<li>q</ol><ol><li>y</ol>'
    assert mark_quiz(page, questions) == page.replace("<ol>\n", '<ol class="quiz" data-right="ba">\n')


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        pytest.param("**2 (a).** Count.\n\n- (b) That is $1 + 2$.\n", "", 7, "2 has no answer", id="no answer"),
        pytest.param("- (a) It puts parts side by side.\n", "", 3, "why option (a) is right or wrong", id="no reason"),
        pytest.param("- (a) It puts parts side by side.", "- (a)", 3, "why option (a)", id="empty reason"),
        pytest.param("**2 (a).** Count.", "**2 (a).**", 7, "why option (a)", id="right for no reason"),
        pytest.param("**1 (b).**", "**1 (a), (b).**", 13, "question 1 needs one right option", id="two right at once"),
        pytest.param("**1 (b).**", "**1.**", 13, "question 1 needs one right option", id="none right"),
        pytest.param("**2 (a).**", "**1 (a).** No.\n\n**2 (a).**", 18, "1 is answered a second time", id="two right"),
        pytest.param("- (a) It puts", "- (b) It puts", 15, "(b) has a second reason", id="right and wrong"),
        pytest.param("- (b) That", "- (c) That", 20, "question 2 has no option (c)", id="reason without option"),
        pytest.param("**1 (b).**", "**1 (d).**", 13, "question 1 has no option (d)", id="answer without option"),
        pytest.param("**2 (a).**", "**3 (a).**", 18, "answer 3 has no question", id="answer without question"),
        pytest.param("- (b) all-reduce", "- (c) all-reduce", 5, "(c) should be (b)", id="letters jump"),
        pytest.param("- (a) two", "- (A) two", 8, "(A) should be (a)", id="capital"),
        pytest.param("- (a) two", "- (a)", 8, "option (a) is empty", id="empty option"),
        pytest.param("2. How", "3. How", 7, "question 3 should be number 2", id="numbers jump"),
        pytest.param("    - (b) all-reduce", "    - all-reduce", 5, "neither: '    - all-reduce'", id="no letter"),
        pytest.param("1. Which", "Guess.\n\n1. Which", 3, "this is neither: 'Guess.'", id="other text"),
        pytest.param("- (a) It puts", "It puts", 15, "this is neither: 'It puts", id="other text in the fold"),
        pytest.param("2. How", "\n2. How", 8, "an empty line too many", id="loose questions"),
        pytest.param("    - (b) three", "\n    - (b) three", 10, "an empty line too many", id="loose options"),
        pytest.param("ranks.\n\n- (a)", "ranks.\n- (a)", 14, "an empty line is missing", id="reasons run on"),
        pytest.param("- (c) One", "\n- (c) One", 17, "an empty line too many", id="loose reasons"),
        pytest.param("nearer.\n\n**2", "nearer.\n**2", 17, "an empty line is missing", id="answers run on"),
        pytest.param("</details>", "", 1, "no fold", id="open fold"),
        pytest.param(FOLD, "", 1, "no fold", id="no fold"),
    ],
)  # fmt: skip
def test_refused(old: str, new: str, line: int, message: str) -> None:
    assert old in QUIZ
    found = read(QUIZ.replace(old, new, 1))
    assert any(at == line and message in text for at, text in found), found


def test_one_option_is_no_choice() -> None:
    text = f"## Check yourself\n\n1. Which?\n    - (a) This.\n\n{FOLD}\n\n**1 (a).** It is.\n\n</details>\n"
    assert read(text) == [(3, "question 1 needs two options or more")]


def test_a_heading_alone_is_refused() -> None:
    assert {text.split(" that ")[0] for _, text in read("## Check yourself\n\n## Sources\n")} == {
        "the quiz has no questions",
        "the quiz has no fold",
    }


@pytest.mark.book
def test_the_build_marks_a_quiz_and_refuses_a_broken_one(
    built_book: SmallBook, line_in: Callable[[str, str], int]
) -> None:
    chapter = "chapters/part/01-one.md"
    built_book.write(chapter, built_book.read(chapter) + "\n" + QUIZ)
    assert built_book.build().returncode == 0
    page = (built_book.root / "site/part/01-one/index.html").read_text()
    assert page.count('<ol class="quiz" data-right="ba">\n<li>Which call adds?<ul>') == 1
    built_book.replace(chapter, "- (b) That is $1 + 2$.\n", "")
    done = built_book.build()
    assert done.returncode != 0
    line = line_in(built_book.read(chapter), "2. How much")
    assert f"{chapter}:{line}: question 2 lacks the reason why option (b) is right or wrong" in done.stderr
