"""What a chapter lacks of the house's plan, and that the files which `press.new` makes lack nothing but their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from press.lacks import ROOT, chosen, lacks, main, subject_of, to_look_at
from press.new import chapter_files, part_files, planned_chapter, written
from press.reading.contents import PATH, Entry, read_contents
from press.reading.form import word_count

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
    files = chapter_files(part, entry, exercises=4, lab=True)
    files = {**part_files(part, files), **files, "labs/recorded/zero.json": "{}"}
    written({path: text.replace("TO WRITE: ", "") for path, text in files.items()}, tmp_path)
    return tmp_path


def entries(book: Path) -> Iterator[Entry]:
    return (entry for part in read_contents(book) for entry in part.chapters)


def lacking(book: Path, number: int = 0) -> list[str]:
    return [str(problem) for problem in lacks([*entries(book)][number], book)]


def assert_lacking(book: Path, message: str) -> None:
    found = lacking(book)
    assert any(re.match(rf"{ZERO}:\d+: lacks {re.escape(message)}", problem) for problem in found), found


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_chapter_in_which_everything_is_written_lacks_nothing(book: Path) -> None:
    assert lacking(book) == []


def test_a_planned_chapter_says_how_to_begin(book: Path) -> None:
    assert lacking(book, 1) == [
        "chapters/memory/23-recomputation.md:1: planned: `python -m press.new memory/23-recomputation` makes its files"
    ]


CHECK = '```python tags=["check"]\nassert x()\n```\n\n## Your own numbers\n'
SECTIONS = (
    "The question, those of its own, The answer, For the 70B on 256 GPUs, On a real system, Often said, and wrong"
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("level: Beginner", "level: Easy", "a level in its header: Beginner, Intermediate, Advanced"),
        ("exercise_minutes: 39\n", "", "exercise_minutes in its header"),
        ("8 min to read", "9 min to read", "**Level:** … · **Time:** … min to read, … min of exercises · "),
        ("8 min to read, 39 min of exercises", "8 minutes, exercises 39", "**Level:** … · **Time:** … min to read"),
        ("the promise, in one sentence: what the reader can decide afterwards.\n\n", "", "a promise below its title"),
        ("- the second;\n", "", "3 to 5 objectives below"),
        ("Letters of this chapter", "Letters", "the fold 'Letters of this chapter'"),
        ("| $q$ |", "| $q$ | one more | |\n" * 8 + "| $q$ |", "a fold of 8 rows of letters at most, has 9"),
        ("# 22 · ZeRO\n", "# ZeRO\n", "its title as the first line of its text: # 22 · ZeRO"),
        ("## The answer\n", "## Answers\n", "the section ## The answer"),
        ("## For the 70B on 256 GPUs\n", "## For the 70B\n", "the section ## For the 70B on 256 GPUs"),
        ("## Going deeper\n", "### Going deeper\n", "the section ## Going deeper"),
        ("## On a real system\n", "## More\n\n## On a real system\n", f"the order of its sections: {SECTIONS}"),
        ("## The question\n", "## Before\n\n## The question\n", f"the order of its sections: {SECTIONS}"),
        ("\nguess(", "\nprint(", "one guess asked for: guess(…) (in The question), has 0"),
        ("\nanswer(", "\nprint(", "one answer that the guess is compared with: answer(…) (in The answer), has 0"),
        ("10% better", "better", "a word on whether it survives 10% in each assumption (in The answer)"),
        ('tags=["check"]', "", "a cell of checks: assertions below a comment, tagged check (in the spine)"),
        ("# the formula with", "print()\n" * 12 + "#", "a cell of 12 lines of 76 characters at most"),
        ("# the formula with", f"{'1 + ' * 20}1", "a cell of 12 lines of 76 characters at most"),
        ("*Before you go on: what", "*Say: what", "a prediction: *Before you go on: …?* (in the spine)"),
        ("**Library shortcut.**", "", "one callout > [!TIP] with **Library shortcut.** (in the spine), has 0"),
        ("\nshow(\n", "\nprint(\n", "a figure: show(…) (in the spine), has 0"),
        ("show_live(zero_figure)", "print(zero_figure)", "a live figure: show_live(…) (in the spine), has 0"),
        ("what this chapter says", "word " * 120, "a box of 120 words at most, has "),
        (
            "**one decision in bold, and",
            "one decision, and",
            "one decision in bold (in For the 70B",
        ),
        ('"predicted"', '"expected"', "a prediction beside what was reported (in On a real system)"),
        ("](../../docs/references.md)", "]", "a claim with a link: > [!WARNING] (in Often said, and wrong), has 0"),
        ("| knob | what it buys |", "| knob | what it gives |", "one table of knobs (in What to remember)"),
        ("- the third.\n\n## Going", "## Going", "3 to 6 sentences to remember, has 2"),
        ("## Going deeper\n", "## Going deeper\n\nMore.\n", "folds alone (in Going deeper), has prose beside them"),
        ("<summary>what the decision", "<b>what the decision", "a fold (in Going deeper), has 0"),
        ("**Sources.**", "", "one paragraph that begins with **Sources.** (in Where next), has 0"),
        ("](index.md)", "]", "a link (in Where next), has 0"),
        ("<summary>Hint 3</summary>", "<summary>Note</summary>", "three hints to exercise 1, has 2"),
        ("<summary>Solution</summary>", "<summary>Answer</summary>", "a solution to exercise 1"),
        ('"exercise: zero_exercise_2"', '"x"', "a grader for exercise 2, or the word *Analysis.* or *Conceptual.*"),
        ("### Exercise 4 · its title\n", "### More\n", "4 to 10 exercises, has 3"),
        ("*Limits:*", "Limits:", "*Limits:* in exercise 1"),
        ("*Decision.* ", "", "a graded exercise that begins with *Decision.*"),
    ],
)
def test_what_is_missing_is_named(book: Path, old: str, new: str, message: str) -> None:
    change(book / ZERO, old, new)
    assert any(re.match(rf"{ZERO}:\d+: lacks {re.escape(message)}", problem) for problem in lacking(book)), lacking(
        book
    )


def test_two_graded_exercises_are_too_few(book: Path) -> None:
    for number in (1, 2):
        change(book / ZERO, f'"exercise: zero_exercise_{number}"', '"x"')
    assert_lacking(book, "3 exercises or more that are graded, has 2")


def test_a_chapter_after_the_thread_has_no_box(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    contents = CONTENTS.replace("22-zero", "35-zero").replace("23-recomputation", "a5-recomputation")
    (tmp_path / PATH).write_text(contents, encoding="utf-8")
    part, entry = planned_chapter("memory/35-zero", tmp_path)
    files = chapter_files(part, entry, exercises=4, lab=False)
    written(
        {path: text.replace("TO WRITE: ", "") for path, text in {**part_files(part, files), **files}.items()}, tmp_path
    )
    assert "256 GPUs" not in files[entry.path]
    assert lacks(entry, tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("## The question\n", "## The question\n\n" + "word " * 100, "'The question' has 135 words; the plan has 120"),
        ("## On a real system\n", "## On a real system\n\n" + "word " * 200, "'On a real system' has "),
        ("in numbers that fit", "**One bold sentence more here.**", "'The smallest case' has 2 bold sentences"),
        ("**one bold sentence that says what happened there.**", "", "'Your own numbers' has 0 bold sentences"),
        ("## Your own numbers\n", CHECK, "'The smallest case' has 2 cells of checks"),
    ],
)
def test_a_count_is_a_place_to_look_and_nothing_is_lacking(book: Path, old: str, new: str, message: str) -> None:
    def looks() -> list[str]:
        return [str(place) for place in to_look_at(next(entries(book)), book)]

    (spine,) = looks()
    assert re.fullmatch(rf"{ZERO}:\d+: look: the spine has \d\d\d words; the plan has 1,800 to 2,400", spine)
    change(book / ZERO, old, new)
    assert any(f"look: {message}" in place for place in looks()), looks()
    assert lacking(book) == []


def test_words_of_folds_fences_and_tables_are_not_counted() -> None:
    fold = '<details markdown="1"><summary>More</summary>\n\nfour words in here\n\n</details>'
    assert word_count(f"Two words\n\n{fold}\n\n```text\na b c\n```\n\n| a | table |\n\nand $$a + b$$ two more.") == 6


def test_a_spine_of_its_length_is_no_place_to_look(book: Path) -> None:
    change(book / ZERO, "## Your own numbers\n", "## Your own numbers\n\n" + "word " * 1800)
    assert to_look_at(next(entries(book)), book) == []


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


def test_the_live_figure_has_the_setting_of_the_box(book: Path) -> None:
    live = book / "snippets/memory/zero/live.py"
    change(live, 'Named("The 70B on 256 GPUs"', 'Named("Another"')
    assert lacking(book) == [
        "snippets/memory/zero/live.py:1: lacks the named setting 'The 70B on 256 GPUs', has The question, Another"
    ]


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
    assert [entry.path for entry in chosen([name], [*entries(ROOT)])] == [ZERO]


def test_the_command_prints_what_is_lacking(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["22"], book) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Nothing is lacking."
    assert [line.split(": ")[1] for line in said[1:]] == ["look"]
    assert main([], book) == 1
    assert capsys.readouterr().out.startswith("chapters/memory/23-recomputation.md:1: planned: ")
    with pytest.raises(SystemExit) as caught:
        main(["24"], book)
    assert caught.value.code == 2
    assert f"the chapter must be one of {PATH}, as 16 or parallelism/16-data, got '24'" in capsys.readouterr().err


def test_the_subject_of_a_chapter() -> None:
    assert subject_of("05-alpha-beta.md") == "alpha_beta"
