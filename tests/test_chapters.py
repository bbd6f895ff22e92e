"""Every chapter has what a chapter of this book has, in its order, and its badge says how long it takes to read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown.extensions.toc import slugify

from grader.catalogue import declares, exercise_in
from press.lacks import EXERCISE_MINUTES, lacks, subject_of
from press.making.quiz import read_quiz
from press.reading.chapter import Chapter, find_chapters, read_chapter
from press.reading.contents import read_contents

ROOT = Path(__file__).parents[1]
CHAPTERS = {path.stem: read_chapter(path, root=ROOT) for path in find_chapters(ROOT)}
ENTRIES = {entry.path: entry for part in read_contents(ROOT) for entry in part.chapters}
WORDS_A_MINUTE = 100  # with formulas and pictures; newcomers put their own pace at 75 to 100
HIDDEN = {"check", "remove-input", "remove-cell", "hide-input", "setup"}


@pytest.fixture(params=list(CHAPTERS.values()), ids=list(CHAPTERS))
def chapter(request: pytest.FixtureRequest) -> Chapter:
    found: Chapter = request.param
    return found


def prose(chapter: Chapter) -> str:
    return "\n\n".join(cell.source for cell in chapter.cells if cell.kind == "markdown")


def test_a_chapter_lacks_nothing(chapter: Chapter) -> None:
    found = lacks(ENTRIES[chapter.name])
    assert not found, "\n".join(map(str, found))


def test_a_quiz_says_of_every_option_why_it_is_right_or_wrong(chapter: Chapter) -> None:
    questions, problems = read_quiz(chapter.cells, chapter.name)
    assert problems == []
    assert len({question.right for question in questions}) > 1, "the right option is always the same"
    for question in questions:
        assert 3 <= len(question.options) <= 4
        for reason in question.reasons.values():  # it is shown below "(a) is wrong.", so it is a sentence of its own
            assert re.match(r"[A-Z0-9$*]", reason), reason
            assert reason.endswith((".", ".)")), reason
            assert not re.search(r"\(([a-d])\)", reason), reason
        assert len(set(question.reasons.values())) == len(question.options)


def test_the_badge_tells_the_reading_time(chapter: Chapter) -> None:
    """100 words a minute, half a minute for each cell that is shown and for each exercise, folds not counted."""
    text = re.sub(r"<details.*?</details>", "", prose(chapter), flags=re.DOTALL)
    text = re.sub(r"(?<!\\)\$(?:[^$\\]|\\.)*\$", "x", re.sub(r"\]\([^)]*\)", "]", text))
    cells = sum(cell.kind == "code" and not HIDDEN & set(cell.metadata.get("tags", [])) for cell in chapter.cells)
    minutes = len(text.split()) / WORDS_A_MINUTE + (cells + text.count("### Exercise")) / 2
    assert abs(chapter.header["minutes"] - minutes) <= 5
    assert chapter.header["minutes"] <= 70


def test_the_badge_tells_the_time_of_the_exercises(chapter: Chapter) -> None:
    """By the level of those that are graded, 6 minutes for one that is not, 1 for a question of the quiz."""
    folder = ROOT / "exercises" / chapter.path.parent.name / subject_of(chapter.name)
    graded = [exercise_in(path) for path in sorted(folder.glob("*.py")) if declares(path)]
    others = prose(chapter).count("### Exercise") - len(graded)
    minutes = sum(EXERCISE_MINUTES[exercise.level] for exercise in graded) + 6 * others
    minutes += len(read_quiz(chapter.cells, chapter.name)[0])
    assert abs(chapter.header["exercise_minutes"] - minutes) <= 10, minutes


def test_every_term_is_used_and_every_reference_is_cited() -> None:
    pages = [path for folder in ("chapters", "docs") for path in (ROOT / folder).rglob("*.md")]
    texts = "".join(path.read_text(encoding="utf-8") for path in pages)
    linked = set(re.findall(r"(\w+\.md)?#([\w-]+)\)", texts))
    docstrings = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "snippets").rglob("*.py"))
    for name, used in (("glossary.md", ""), ("references.md", docstrings)):
        titles = re.findall(r"^### (.+)$", (ROOT / "docs" / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert len(titles) > 100
        anchors = {title: slugify(title, "-") for title in titles}
        idle = [t for t, a in anchors.items() if not {(name, a), ("", a)} & linked and t not in used]
        assert idle == [], f"no page links to these headings of docs/{name}"


def test_code_on_the_page_is_short_enough_to_read(chapter: Chapter) -> None:
    for cell in chapter.cells:
        if cell.kind == "code" and not HIDDEN & set(cell.metadata.get("tags", [])):
            lines = [line for line in cell.source.splitlines() if line]
            assert len(lines) <= 20, cell.source
            assert max(len(line) for line in lines) <= 100, cell.source
