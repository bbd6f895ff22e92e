"""Every grader is graded: solutions pass, stubs are open, and every typical wrong answer is known for what it is."""

from __future__ import annotations

import copy
import doctest
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown.extensions.toc import slugify
from sampling import sampled

from exercises import answer_files, classroom, judging, messages, on_page
from exercises.catalogue import Chapter, chapters, load
from exercises.judging import Exercise, judge
from exercises.on_page import with_hints
from exercises.sandbox import Sandbox

ROOT = Path(__file__).parents[2]
CHAPTERS = chapters()
EXERCISES = [
    pytest.param(chapter, exercise, id=f"{chapter.folder.name}-{exercise.name}")
    for chapter in CHAPTERS
    for exercise in chapter.exercises.values()
]
each_exercise = pytest.mark.parametrize(("chapter", "exercise"), EXERCISES)
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.folder.name)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def in_file(chapter: Chapter, file: str, name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(load(chapter.folder / file), name)
    return function


@each_exercise
def test_the_solution_is_solved(chapter: Chapter, exercise: Exercise) -> None:
    verdict = judge(exercise, in_file(chapter, "solution.py", exercise.name), chapter.mistakes[exercise.name])
    assert verdict.status == "solved", verdict


@pytest.mark.parametrize(("chapter", "exercise"), sampled(EXERCISES, 10))
def test_in_a_child_the_solution_is_solved_and_the_stub_open(
    chapter: Chapter, exercise: Exercise, sandbox: Sandbox
) -> None:
    """As pytest, the class and the notebook judge."""
    verdict = sandbox.judge(chapter.folder, exercise, chapter.folder / "solution.py")
    assert verdict.status == "solved", verdict
    assert sandbox.judge(chapter.folder, exercise, chapter.folder / "stub.py").status == "open"


@each_exercise
def test_every_known_mistake_is_wrong_and_recognised(chapter: Chapter, exercise: Exercise) -> None:
    mistakes = chapter.mistakes[exercise.name]
    assert len(mistakes) >= 3
    for name, mistake in mistakes.items():
        assert len(mistake.says.split()) >= 3, name
        verdict = judge(exercise, mistake.function, mistakes)
        assert (verdict.status, verdict.mistake, verdict.says) == ("wrong", name, mistake.says)
        assert all((verdict.asked, verdict.given, verdict.expected, verdict.got)), verdict


@pytest.mark.nightly  # each exercise has such a constant among its known mistakes
@each_exercise
def test_a_constant_that_fits_one_input_is_wrong(chapter: Chapter, exercise: Exercise) -> None:
    """Return to every call what the solution returns to the first."""
    solution = in_file(chapter, "solution.py", exercise.name)
    kept: list[Any] = []

    def record(*arguments: Any, **inputs: Any) -> Any:
        result = solution(*arguments, **inputs)
        if not kept:
            kept.append(result)
        return result

    first = copy.deepcopy(dict(exercise.examples[0]))
    if exercise.observe:
        exercise.observe(record, **first)
    else:
        record(**first)
    assert judge(exercise, lambda *arguments, **inputs: kept[0], {}).status == "wrong"


@each_exercise
def test_hints_say_something_and_lead_to_a_heading(chapter: Chapter, exercise: Exercise) -> None:
    assert len(exercise.hints) == 3
    assert len({hint.text for hint in exercise.hints}) == 3
    for hint in exercise.hints:
        file, _, heading = hint.link.partition("#")
        page = (ROOT / chapter.page).parent / file
        assert hint.text.strip()
        assert heading in headings(page), hint.link


def headings(page: Path) -> set[str]:
    """Return the ids that a page's headings get."""
    titles = re.findall(r"^#{1,6} (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {slugify(re.sub(r"[`*$]", "", title), "-") for title in titles}


@each_chapter
def test_the_page_has_every_exercise_with_its_number_and_the_command(chapter: Chapter) -> None:
    """An exercise whose solution is a function is graded; all others are analysis."""
    page = (ROOT / chapter.page).read_text(encoding="utf-8")
    assert f"\n{chapter.command}\n" in page
    parts = re.split(r"^### Exercise (\d+) · .+$", page.partition("\n## Exercises\n")[2], flags=re.MULTILINE)
    on_page = {
        name: int(number)
        for number, text in zip(parts[1::2], parts[2::2], strict=True)
        for name in re.findall(r'"include: (\w+)"', text)
    }
    assert on_page == {exercise.name: exercise.number for exercise in chapter.exercises.values()}


@each_chapter
def test_the_page_has_the_graders_hints(chapter: Chapter) -> None:
    page = (ROOT / chapter.page).read_text(encoding="utf-8")
    assert with_hints(page, chapter) == page, "run python -m exercises.on_page"


@each_chapter
def test_a_chapter_has_two_exercises_and_no_mistakes_of_others(chapter: Chapter) -> None:
    assert len(chapter.exercises) >= 2
    assert chapter.mistakes.keys() == chapter.exercises.keys()
    names, _ = answer_files.missing((chapter.folder / "stub.py").read_text(encoding="utf-8"), "")
    assert names == list(chapter.exercises)


def test_every_chapter_with_solutions_has_a_grader() -> None:
    solved = {path.parent for path in ROOT.glob("exercises/*/*/solution.py")}
    assert {chapter.folder for chapter in CHAPTERS} == solved


def test_no_two_exercises_share_a_name() -> None:
    """So that ``--hint NAME`` and ``check(NAME, …)`` need no chapter."""
    names = Counter(name for chapter in CHAPTERS for name in chapter.exercises)
    assert max(names.values()) == 1, names


@pytest.mark.parametrize(
    "module", [answer_files, classroom, judging, messages, on_page], ids=lambda module: module.__name__
)
def test_the_examples_in_docstrings_hold(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
