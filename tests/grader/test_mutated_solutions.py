"""Every solution, changed a little in one place, is wrong: what passes would pass for a reader too.

A change that makes no difference stands in ``equivalent_mutants.toml`` with the reason.
"""

from __future__ import annotations
import __future__

import signal
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mutations import mutants

from grader.cases import cases
from grader.catalogue import chapters
from grader.errors import Stopped
from grader.exercise import Exercise
from grader.judging import is_solved_by
from grader.source import solution_of

pytestmark = pytest.mark.nightly

EQUIVALENT = tomllib.loads(Path(__file__).with_name("equivalent_mutants.toml").read_text(encoding="utf-8"))["mutant"]
EXERCISES = [exercise for chapter in chapters() for exercise in chapter.exercises.values()]
LONGEST_S = 2.0  # of this process, so that others on the machine decide nothing


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_a_changed_solution_is_wrong(exercise: Exercise) -> None:
    known = {mutant["after"] for mutant in EQUIVALENT if mutant["exercise"] == exercise.name}
    solution, _ = solution_of(exercise), cases(exercise)
    assert passes(exercise, solution)
    found = [mutant.after for mutant in mutants(solution, exercise.name) if passes(exercise, mutant.source)]
    assert set(found) - known == set(), "needs an input that shows the difference, or a reason why there is none"
    assert known - set(found) == set(), "is no survivor any more"


def test_every_equivalent_change_has_an_exercise_and_a_reason() -> None:
    assert {mutant["exercise"] for mutant in EQUIVALENT} <= {exercise.name for exercise in EXERCISES}
    assert all(len(mutant["why"].split()) >= 3 for mutant in EQUIVALENT)


def passes(exercise: Exercise, source: str) -> bool:
    """Say whether a text has a function that is judged right; one that is no program or does not end is not."""
    try:
        with stopped_after(LONGEST_S):
            return is_solved_by(exercise, function_in(exercise, source))
    except (Stopped, Exception):
        return False


def function_in(exercise: Exercise, source: str) -> Callable[..., Any]:
    names = dict(vars(exercise.module))
    flags = __future__.annotations.compiler_flag
    exec(compile(source, f"<{exercise.name}, changed>", "exec", flags, dont_inherit=True), names)
    function: Callable[..., Any] = names[exercise.name]
    return function


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise Stopped("", "")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
