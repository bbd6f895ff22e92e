"""What a chapter lacks of the house's plan, and that the files which `press.new` makes lack nothing but their words."""

from __future__ import annotations

from pathlib import Path

import pytest

from press.lacks import ROOT, chosen, lacks, main, subject_of
from press.new import chapter_files, part_files, planned_chapter, written
from press.reading.contents import PATH, read_contents

CONTENTS = """\
memory:
  title: Part V · Memory
  question: Where is it?
  chapters:
    22-zero: {title: ZeRO, question: Who needs a copy?}
    23-recomputation: {title: Recomputation, question: What is cheaper?}
"""
ZERO = "chapters/memory/22-zero.md"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return a book with one chapter that lacks nothing: what ``press.new`` makes, with everything written."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / PATH).write_text(CONTENTS, encoding="utf-8")
    part, entry = planned_chapter("memory/22-zero", tmp_path)
    files = chapter_files(part, entry, exercises=4, live=True, lab=True)
    files = {**part_files(part, files), **files, "labs/recorded/zero.json": "{}"}
    written({path: text.replace("TO WRITE: ", "") for path, text in files.items()}, tmp_path)
    return tmp_path


def lacking(book: Path, number: int = 0) -> list[str]:
    entries = [entry for part in read_contents(book) for entry in part.chapters]
    return [str(problem) for problem in lacks(entries[number], book)]


def test_a_chapter_in_which_everything_is_written_lacks_nothing(book: Path) -> None:
    assert lacking(book) == []


def test_a_planned_chapter_says_how_to_begin(book: Path) -> None:
    assert lacking(book, 1) == [
        "chapters/memory/23-recomputation.md:1: planned: `python -m press.new memory/23-recomputation` makes its files"
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("level: Beginner", "level: Easy", "a level in its header: Beginner, Intermediate, Advanced"),
        ("exercise_minutes: 39\n", "", "exercise_minutes in its header"),
        ("**Time:** 5 minutes", "**Time:** 6 minutes", "**Level:** … · **Time:** … minutes, exercises … · "),
        ("the promise, one sentence on what the reader can do afterwards.\n\n", "", "a promise below its title"),
        ("- the second;\n", "", "3 to 5 objectives below"),
        ("Letters of this chapter", "Letters", "the fold 'Letters of this chapter'"),
        ("# 22 · ZeRO\n", "# ZeRO\n", "its title as the first line of its text: # 22 · ZeRO"),
        ("## The answer\n", "## Answers\n", "the section ## The answer"),
        ("## The answer\n", "## Exercises\n", "the order of its sections: The question, On a real system"),
        ("\nguess(", "\nprint(", "one guess asked for: guess(…), has 0"),
        ("\nanswer(", "\nprint(", "one answer that the guess is compared with: answer(…), has 0"),
        ('tags=["check"]', "", "a cell of checks: assertions below a comment, tagged check, has 0"),
        ("# the formula, called", "print()\n" * 12 + "#", "a cell of 12 lines of 76 characters at most on line "),
        ("# the formula, called", f"{'1 + ' * 20}1", "a cell of 12 lines of 76 characters at most on line "),
        ("*Before you go on: a prediction that the next cell decides?*", "", "a prediction: *Before you go on: …?*"),
        ("**Key insight.**", "", "one callout > [!IMPORTANT] with **Key insight.**, has 0"),
        ("**Library shortcut.**", "", "one callout > [!TIP] with **Library shortcut.**, has 0"),
        ("*reported*", "reported", "a number that is *reported* or *derived* (in On a real system)"),
        ("> [!WARNING]", ">", "a claim: > [!WARNING] (in Often said, and wrong), has 0"),
        ("| knob | what it buys |", "| knob | what it gives |", "a table of knobs (in What to remember)"),
        ("**Sources.**", "", "one paragraph that begins with **Sources.**, has 0"),
        ("\nshow(\n", "\nprint(\n", "a figure: show(…), has 0"),
        ("show_live(zero_figure)", "print(zero_figure)", "a live figure: show_live(…), has 0"),
        ("- the second.\n", "", "3 to 6 points to remember, has 2"),
        ("<summary>Hint 3</summary>", "<summary>Note</summary>", "three hints to exercise 1, has 2"),
        ("<summary>Solution</summary>", "<summary>Answer</summary>", "a solution to exercise 1"),
        ('"exercise: zero_exercise_2"', '"x"', "a grader for exercise 2, or the word *Analysis.* or *Conceptual.*"),
        ("### Exercise 4 · its title\n", "### More\n", "4 to 10 exercises, has 3"),
    ],
)
def test_what_is_missing_is_named(book: Path, old: str, new: str, message: str) -> None:
    text = (book / ZERO).read_text(encoding="utf-8")
    assert old in text
    (book / ZERO).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert any(problem.startswith(f"{ZERO}:1: lacks {message}") for problem in lacking(book)), lacking(book)


@pytest.mark.parametrize(
    ("gone", "problem"),
    [
        (
            "tests/memory/zero/test_zero_live.py",
            "snippets/memory/zero/live.py:1: lacks a test: ",
        ),
        (
            "labs/recorded/zero.json",
            "labs/memory/zero.py:1: lacks a record: run it with --record ",
        ),
        ("chapters/memory/index.md", "chapters/memory/index.md:1: lacks: a part with a chapter has a page"),
    ],
)
def test_what_is_missing_in_other_rooms_is_named(book: Path, gone: str, problem: str) -> None:
    (book / gone).unlink()
    (found,) = lacking(book)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    "path",
    ["snippets/memory/zero/figures.py", "exercises/memory/zero/zero_exercise_3.py", "tests/memory/zero/test_zero.py"],
)
def test_what_is_still_to_be_written_is_named_in_every_room(book: Path, path: str) -> None:
    (book / path).write_text("x = 1\n\n# TO WRITE: the body. TO WRITE: the rest\n", encoding="utf-8")
    assert [problem for problem in lacking(book) if "to write" in problem] == [
        f"{path}:3: to write: the body.",
        f"{path}:3: to write: the rest",
    ]


def test_a_quiz_that_is_not_whole_is_lacking(book: Path) -> None:
    text = (book / ZERO).read_text(encoding="utf-8")
    (book / ZERO).write_text(text.replace("**2 (a).**", "**4 (a).**"), encoding="utf-8")
    assert any("question" in problem for problem in lacking(book))


def test_a_chapter_that_cannot_be_read_is_lacking(book: Path) -> None:
    (book / ZERO).write_text("# ZeRO\n", encoding="utf-8")
    assert f"{ZERO}:1: a chapter begins with a header" in lacking(book)[0]


@pytest.mark.parametrize("name", ["22", "22-zero", "memory/22-zero", "chapters/memory/22-zero.md"])
def test_a_chapter_is_found_by_what_it_is_called(name: str) -> None:
    entries = [entry for part in read_contents(ROOT) for entry in part.chapters]
    assert [entry.path for entry in chosen([name], entries)] == [ZERO]


def test_the_command_prints_what_is_lacking(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["22"], book) == 0
    assert capsys.readouterr().out == "Nothing is lacking.\n"
    assert main([], book) == 1
    assert capsys.readouterr().out.startswith("chapters/memory/23-recomputation.md:1: planned: ")
    with pytest.raises(SystemExit) as caught:
        main(["24"], book)
    assert caught.value.code == 2
    assert f"the chapter must be one of {PATH}, as 16 or parallelism/16-data, got '24'" in capsys.readouterr().err


def test_the_subject_of_a_chapter() -> None:
    assert subject_of("05-alpha-beta.md") == "alpha_beta"
