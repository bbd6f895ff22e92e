"""Every exercise is judged itself: solutions pass, stubs are open, and every known mistake is known for what it is."""

from __future__ import annotations

import copy
import doctest
import re
from collections import Counter
from typing import Any

import pytest
from sampling import ROOT

from grader.cases import cases
from grader.catalogue import Chapter, chapters
from grader.exercise import Exercise
from grader.judging import Verdict, judge
from grader.messages import Result, message
from grader.shapes import returned
from grader.source import stub_of, wrong_answer

CHAPTERS = chapters()
EXERCISES = [
    pytest.param(chapter, exercise, id=f"{chapter.folder.name}-{exercise.name}")
    for chapter in CHAPTERS
    for exercise in chapter.exercises.values()
]
each_exercise = pytest.mark.parametrize(("chapter", "exercise"), EXERCISES)
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.folder.name)
WIDEST = 80


@each_exercise
def test_the_solution_is_solved(chapter: Chapter, exercise: Exercise) -> None:
    verdict = judge(exercise, exercise.solution)
    assert verdict.status == "solved", verdict


@each_exercise
def test_the_stub_is_open_and_fits_an_editor(chapter: Chapter, exercise: Exercise) -> None:
    text = stub_of(exercise)
    names: dict[str, Any] = {}
    exec(compile(text, "stub.py", "exec", dont_inherit=True), names)
    assert judge(exercise, names[exercise.name]).status == "open"
    assert max(map(len, text.splitlines())) <= WIDEST, text


@each_exercise
def test_the_stub_has_one_example_that_holds(chapter: Chapter, exercise: Exercise) -> None:
    parser, said = doctest.DocTestParser(), exercise.solution.__doc__ or ""
    examples = parser.get_examples(said)
    assert examples, "an example shows what a call looks like"
    assert sum(bool(re.search(rf"\b{exercise.name}\b", example.source)) for example in examples) == 1
    names = dict(vars(exercise.module))
    runner = doctest.DocTestRunner()
    runner.run(parser.get_doctest(said, names, exercise.name, str(exercise.path), 0))
    assert runner.summarize().failed == 0


@each_exercise
def test_every_known_mistake_is_wrong_and_recognised(chapter: Chapter, exercise: Exercise) -> None:
    assert len(exercise.mistakes) >= 3
    assert max(Counter(mistake.name for mistake in exercise.mistakes).values()) == 1
    for mistake in exercise.mistakes:
        assert len(mistake.says.split()) >= 3, mistake.name
        verdict = judge(exercise, wrong_answer(exercise, mistake))
        assert (verdict.status, verdict.mistake, verdict.says) == ("wrong", mistake.name, mistake.says)
        assert all((verdict.asked, verdict.given, verdict.expected, verdict.got)), verdict


@each_exercise
def test_a_forgotten_return_is_told(chapter: Chapter, exercise: Exercise) -> None:
    verdict = judge(exercise, lambda *arguments, **inputs: None)
    assert verdict.status == "wrong"
    if type(None) not in getattr(returned(exercise.solution), "__args__", ()):
        assert "return" in verdict.got or "yield" in verdict.got or "generator" in verdict.got, verdict


@each_exercise
def test_a_constant_that_fits_one_input_is_wrong(chapter: Chapter, exercise: Exercise) -> None:
    """Return to every call what the solution returns to the first."""
    kept: list[Any] = []

    def record(*arguments: Any, **inputs: Any) -> Any:
        result = exercise.solution(*arguments, **inputs)
        if not kept:
            kept.append(result)
        return result

    first = copy.deepcopy(dict(exercise.examples[0]))
    if exercise.observe:
        exercise.observe(record, **first)
    else:
        record(**first)
    assert judge(exercise, lambda *arguments, **inputs: kept[0]).status == "wrong"


@each_exercise
def test_each_value_of_an_enumeration_has_ten_inputs(chapter: Chapter, exercise: Exercise) -> None:
    """Of an argument that is a name, a truth value or a stage of ZeRO; a single input proves little."""
    tried = cases(exercise)
    for name in tried[0].inputs:
        values: list[Any] = [case.inputs.get(name) for case in tried]
        if (name == "stage" and max(values) <= 3) or all(isinstance(value, str | bool) for value in values):
            counts = Counter(values)
            assert len(counts) > 5 or min(counts.values()) >= 10, (name, counts)


TAUGHT = [(chapter, one) for chapter in CHAPTERS for one in chapter.exercises.values() if one.taught]


@pytest.mark.parametrize(("chapter", "exercise"), TAUGHT, ids=[one.name for _, one in TAUGHT])
def test_whoever_solves_an_exercise_is_told_its_numbers(chapter: Chapter, exercise: Exercise) -> None:
    said = exercise.taught() if exercise.taught else ""
    assert re.search(r"\d", said)
    assert said.endswith(".")
    told = message(Result(chapter, exercise, Verdict("solved")))
    assert " ".join(told.split()) == f"solved: {exercise.name} numbers: {' '.join(said.split())}"
    assert "numbers:" not in message(Result(chapter, exercise, Verdict("wrong", expected="1", got="2")))


@each_chapter
def test_the_page_asks_every_exercise_by_its_number_and_has_its_hints(chapter: Chapter) -> None:
    page = (ROOT / chapter.page).read_text(encoding="utf-8")
    parts = re.split(r"^### Exercise (\d+) · .+$", page.partition("\n## Exercises\n")[2], flags=re.MULTILINE)
    asked = {
        name: int(number)
        for number, text in zip(parts[1::2], parts[2::2], strict=True)
        for name in re.findall(r'"exercise: (\w+)"', text)
    }
    assert asked == {exercise.name: exercise.number for exercise in chapter.exercises.values()}
    for name in asked:
        hints = chapter.hints(name)
        assert len(set(hints)) == 3, (name, hints)


@each_chapter
def test_a_chapter_has_two_exercises(chapter: Chapter) -> None:
    assert len(chapter.exercises) >= 2


def test_no_two_exercises_share_a_name() -> None:
    """So that ``--hint NAME`` and ``check(NAME, …)`` need no chapter."""
    names = Counter(name for chapter in CHAPTERS for name in chapter.exercises)
    assert max(names.values()) == 1, names
