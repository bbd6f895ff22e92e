"""Every solution, changed a little in one place, is wrong: what passes would pass for a reader too.

A night tries some changes of each solution, the next night the next ones; all of them would take it hours. A change
that makes no difference stands in ``equivalent_mutants.toml`` with the reason, and is tried every night.
"""

from __future__ import annotations
import __future__

import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bounds import at_most_more, stopped_after
from mutations import Mutant, mutants
from sampling import in_turn

from grader.cases import cases
from grader.catalogue import chapters
from grader.errors import Stopped
from grader.exercise import Exercise
from grader.judging import is_solved_by
from grader.source import solution_of

pytestmark = pytest.mark.nightly

LISTED = tomllib.loads(Path(__file__).with_name("equivalent_mutants.toml").read_text(encoding="utf-8"))
EQUIVALENT, ROUGH = LISTED["mutant"], {rule["exercise"]: rule for rule in LISTED["rough"]}
EXERCISES = [exercise for chapter in chapters() for exercise in chapter.exercises.values()]
A_NIGHT = 60  # changes of each solution; the largest has 5,009
LONGEST_S = 2.0  # of this process, so that others on the machine decide nothing
MOST_BYTES = 1 << 30


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if one.name not in ROUGH], ids=lambda one: one.name)
def test_a_changed_solution_is_wrong(exercise: Exercise) -> None:
    known = {mutant["after"] for mutant in EQUIVALENT if mutant["exercise"] == exercise.name}
    seconds = longest_s(exercise)
    found = {mutant.after for mutant in tried(exercise, known) if passes(exercise, mutant.source, seconds)}
    assert found - known == set(), "needs an input that shows the difference, or a reason why there is none"
    assert known - found == set(), "is no survivor any more"


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if one.name in ROUGH], ids=lambda one: one.name)
def test_of_a_rough_solution_most_changes_are_wrong(exercise: Exercise) -> None:
    changes, seconds = tried(exercise, set()), longest_s(exercise)
    right = sum(passes(exercise, mutant.source, seconds) for mutant in changes)
    assert right <= ROUGH[exercise.name]["may_pass"] * len(changes)


def test_every_exception_has_an_exercise_and_a_reason() -> None:
    exceptions = [*EQUIVALENT, *ROUGH.values()]
    assert {one["exercise"] for one in exceptions} <= {exercise.name for exercise in EXERCISES}
    assert all(len(one["why"].split()) >= 3 for one in exceptions)


@pytest.mark.parametrize("endless", ["kept.append(bytes(1 << 24))", "kept = [kept, kept * 2]", "kept", "kept += [1]"])
def test_a_text_without_end_is_wrong_and_the_next_is_judged(endless: str) -> None:
    exercise = EXERCISES[0]
    solution = solution_of(exercise)
    without_end = f"def {exercise.name}(**_):\n    kept = [0]\n    while True:\n        {endless}\n"
    assert not passes(exercise, without_end, LONGEST_S)
    assert passes(exercise, solution, LONGEST_S)


def tried(exercise: Exercise, known: set[str]) -> list[Mutant]:
    """Return this night's changes of an exercise's solution, and those that are known to make no difference."""
    found = list(mutants(solution_of(exercise), exercise.name))
    tonight = in_turn(range(len(found)), A_NIGHT)
    return [mutant for number, mutant in enumerate(found) if number in tonight or mutant.after in known]


def longest_s(exercise: Exercise) -> float:
    """Return how long a change may take, as the solution does well within; the cases are made before."""
    cases(exercise)
    began = time.process_time()
    assert passes(exercise, solution_of(exercise), 30 * LONGEST_S)
    return max(LONGEST_S, 3 * (time.process_time() - began))


def passes(exercise: Exercise, source: str, seconds: float) -> bool:
    """Say whether a text has a function that is judged right; one that is no program or does not end is not.

    Nor is one that would take all memory.
    """
    try:
        with at_most_more(MOST_BYTES), stopped_after(seconds):
            return is_solved_by(exercise, function_in(exercise, source))
    except (Stopped, Exception):
        return False


def function_in(exercise: Exercise, source: str) -> Callable[..., Any]:
    names = dict(vars(exercise.module))
    flags = __future__.annotations.compiler_flag
    exec(compile(source, f"<{exercise.name}, changed>", "exec", flags, dont_inherit=True), names)
    function: Callable[..., Any] = names[exercise.name]
    return function
