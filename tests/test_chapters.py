"""Every chapter has what a chapter of this book has, in its order, and its badge says how long it takes to read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from press.chapter import Chapter, find_chapters, read_chapter
from press.quiz import read_quiz

ROOT = Path(__file__).parents[1]
CHAPTERS = {path.stem: read_chapter(path, root=ROOT) for path in find_chapters(ROOT)}
LEVELS = ("Beginner", "Intermediate", "Advanced")
# In the order in which a reader meets them; between them a chapter has sections of its own.
HEADINGS = (
    "The question",
    "On a real system",
    "Often said, and wrong",
    "Exercises",
    "Check yourself",
    "What to remember",
)
WORDS_A_MINUTE = 200
HIDDEN = {"remove-input", "remove-cell", "hide-input", "setup"}


@pytest.fixture(params=list(CHAPTERS.values()), ids=list(CHAPTERS))
def chapter(request: pytest.FixtureRequest) -> Chapter:
    found: Chapter = request.param
    return found


def prose(chapter: Chapter) -> str:
    return "\n\n".join(cell.source for cell in chapter.cells if cell.kind == "markdown")


def section(chapter: Chapter, heading: str) -> str:
    """Return the prose below a heading of the second level."""
    found = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", prose(chapter), re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def test_the_head_says_what_a_reader_needs_first(chapter: Chapter) -> None:
    text = prose(chapter)
    title = chapter.header["title"]
    assert text.startswith(f"# {title}\n")
    badge = re.search(
        r"^\*\*Level:\*\* (\w+) · \*\*Time:\*\* (\d+) minutes · \*\*Before this:\*\* .+$", text, re.MULTILINE
    )
    assert badge
    assert badge[1] == chapter.header["level"]
    assert badge[1] in LEVELS
    assert int(badge[2]) == chapter.header["minutes"]
    objectives = re.search(r"At the end you will be able to\n\n((?:- .+\n)+)", text)
    assert objectives
    assert 3 <= objectives[1].count("- ") <= 5


def test_the_sections_stand_in_their_order(chapter: Chapter) -> None:
    headings = re.findall(r"^## (.+)$", prose(chapter), re.MULTILINE)
    assert [heading for heading in headings if heading in HEADINGS] == list(HEADINGS)


def test_what_every_chapter_has(chapter: Chapter) -> None:
    text = prose(chapter)
    code = "\n".join(cell.source for cell in chapter.cells if cell.kind == "code")
    assert "**Guess before you read on.**" in section(chapter, "The question")
    assert re.search(r"\*(Before you|Guess|Predict)[^*]*\?[^*]*\*|\*Which[^*]*\?\*", text), "no prediction"
    assert text.count("> [!IMPORTANT]\n> **Key insight.**") == 1
    assert text.count("> [!TIP]\n> **Library shortcut.**") == 1
    assert re.search(r"^assert |^ +assert ", code, re.MULTILINE)
    assert "show(" in code
    assert re.search(r"^show_live\(\w+\)$", code, re.MULTILINE), "no live figure"
    assert re.search(r"\*(reported|derived|estimated)", section(chapter, "On a real system"))
    assert "> [!WARNING]" in section(chapter, "Often said, and wrong")
    last = section(chapter, "What to remember")
    assert 3 <= len(re.findall(r"^- ", last, re.MULTILINE)) <= 6
    assert "**Where next.**" in last
    assert "**Sources.**" in last


def test_exercises_have_their_solutions(chapter: Chapter) -> None:
    exercises = re.split(r"^### Exercise \d+ · .+$", section(chapter, "Exercises"), flags=re.MULTILINE)[1:]
    assert 4 <= len(exercises) <= 10
    for exercise in exercises:
        assert exercise.count('<details markdown="1"><summary>Solution</summary>') == 1
    assert sum('"include: ' in exercise for exercise in exercises) >= 2
    for exercise in exercises:  # graded, or to be solved on paper
        graded = re.search(r"^Level: (easy|medium|hard)\. Grade it with `pytest .+`\.$", exercise, re.MULTILINE)
        assert bool(graded) == ('"include: ' in exercise)
        assert bool(graded) != exercise.lstrip().startswith(("*Analysis.* ", "*Conceptual.* "))


def test_a_quiz_says_of_every_option_why_it_is_right_or_wrong(chapter: Chapter) -> None:
    questions, problems = read_quiz(chapter.cells, chapter.name)
    assert problems == []
    assert 3 <= len(questions) <= 5
    assert len({question.right for question in questions}) > 1, "the right option is always the same"
    for question in questions:
        assert 3 <= len(question.options) <= 4
        for reason in question.reasons.values():  # it is shown below "(a) is wrong.", so it is a sentence of its own
            assert re.match(r"[A-Z0-9$*]", reason), reason
            assert reason.endswith((".", ".)")), reason
            assert not re.search(r"\(([a-d])\)", reason), reason
        assert len(set(question.reasons.values())) == len(question.options)


def test_the_badge_tells_the_reading_time(chapter: Chapter) -> None:
    """200 words a minute, half a minute for each cell that is shown and for each exercise, folds not counted."""
    text = re.sub(r"<details.*?</details>", "", prose(chapter), flags=re.DOTALL)
    text = re.sub(r"\$[^$]*\$", "x", re.sub(r"\]\([^)]*\)", "]", text))
    cells = sum(cell.kind == "code" and not HIDDEN & set(cell.metadata.get("tags", [])) for cell in chapter.cells)
    minutes = len(text.split()) / WORDS_A_MINUTE + (cells + text.count("### Exercise")) / 2
    assert abs(chapter.header["minutes"] - minutes) <= 5
    assert chapter.header["minutes"] <= 45


def test_code_on_the_page_is_short_enough_to_read(chapter: Chapter) -> None:
    for cell in chapter.cells:
        if cell.kind == "code" and not HIDDEN & set(cell.metadata.get("tags", [])):
            lines = [line for line in cell.source.splitlines() if line]
            assert len(lines) <= 20, cell.source
            assert max(len(line) for line in lines) <= 100, cell.source
