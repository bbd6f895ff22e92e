"""The inputs that an exercise draws are the same in every process, whatever else it has loaded."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from sampling import at_night, sampled, today

from grader.cases import cases, inputs_of
from grader.catalogue import chapters
from grader.comparing import plain
from grader.exercise import Exercise, Inputs, Mistake
from grader.judging import is_solved_by, judge
from grader.source import wrong_answer

ROOT = Path(__file__).parents[2]
DRAW = """
import sys
from dataclasses import replace
from grader.cases import inputs_of
from exercises.memory.zero.fewest_ranks import EXERCISE

exercise = replace(EXERCISE, draws=200, inputs=lambda st: {"bytes": st.integers(0, 10**30)}, examples=[{"bytes": 1}])
before = inputs_of(exercise)
sys.path.insert(0, sys.argv[1])
import large_numbers
after = inputs_of(exercise)
print(len(before), before == after, len({one["bytes"] for one in after} & large_numbers.NUMBERS))
"""


def test_a_module_that_is_loaded_changes_no_input(tmp_path: Path) -> None:
    numbers = [10**25 + 7 * number for number in range(200)]
    (tmp_path / "large_numbers.py").write_text(f"NUMBERS = set({numbers})\n")
    done = subprocess.run(
        [sys.executable, "-c", DRAW, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    drawn, same, of_the_module = done.stdout.split()
    assert int(drawn) > 150
    assert (same, of_the_module) == ("True", "0")


EXERCISES = [exercise for chapter in chapters() for exercise in chapter.exercises.values()]
REDRAWN = [exercise for exercise in EXERCISES if callable(exercise.inputs) or exercise.drawn]


# A class's seed is often the day of its sheet: the night has today's, in the two ways in which a day is a number.
AT_NIGHT = [20261124, int(f"{today():%Y%m%d}"), today().toordinal()]


@pytest.mark.parametrize("exercise", sampled(REDRAWN, 6), ids=lambda exercise: exercise.name)
@pytest.mark.parametrize("number", [1, *map(at_night, AT_NIGHT)])
def test_inputs_drawn_by_a_seed_are_others_and_solved_by_the_solution(exercise: Exercise, number: int) -> None:
    seeded = replace(exercise, seed=number)
    assert judge(seeded, exercise.solution).status == "solved"
    tried = [repr(plain(case.inputs)) for case in cases(seeded)]
    assert [repr(plain(one)) for one in inputs_of(replace(seeded))] == tried
    new = set(tried) - {repr(plain(case.inputs)) for case in cases(exercise)}
    assert len(new) >= 5
    assert [one.name for one in exercise.mistakes if is_solved_by(seeded, wrong_answer(exercise, one))] == []


def test_a_mistake_that_no_drawn_input_tells_is_told_by_an_input_of_the_books() -> None:
    exercise = next(one for one in EXERCISES if one.name == "least_micro_batches")
    drawn = {"stages": 1, "bubble": Fraction(1, 9), "chunks": 1}
    blind = replace(exercise, seed=3, drawn=lambda chance: [drawn])
    missed = [mistake for mistake in exercise.mistakes if _is_right_on_examples(exercise, mistake)]
    assert missed
    assert not any(is_solved_by(blind, wrong_answer(exercise, mistake)) for mistake in exercise.mistakes)
    added = [case.inputs for case in cases(blind) if case.inputs not in (*exercise.examples, drawn)]
    assert 1 <= len(added) <= len(missed)
    assert all(one in _inputs(exercise) for one in added)


def test_drawn_inputs_that_tell_every_mistake_are_left_alone() -> None:
    exercise = next(one for one in EXERCISES if one.name == "least_micro_batches")
    assert _inputs(replace(exercise, seed=3, drawn=lambda chance: _inputs(exercise))) == _inputs(exercise)


def _inputs(exercise: Exercise) -> list[Inputs]:
    return [case.inputs for case in cases(exercise)]


def _is_right_on_examples(exercise: Exercise, mistake: Mistake) -> bool:
    return is_solved_by(replace(exercise, inputs=[], mistakes=[]), wrong_answer(exercise, mistake))


def test_ranks_and_what_readers_tabulated_are_drawn_anew() -> None:
    programs = {exercise.name for exercise in EXERCISES if inspect.isgeneratorfunction(exercise.solution)}
    redrawn = {exercise.name for exercise in REDRAWN}
    assert programs | {"all_reduce_by_all_to_all", "fewest_ranks", "owners", "least_batch"} <= redrawn
    assert [exercise.name for exercise in EXERCISES if exercise.name not in redrawn] == ["fermi_range"]


def test_another_weight_draws_nothing_again() -> None:
    exercise = replace(EXERCISES[0], seed=5)
    assert cases(replace(exercise, weight=7.0)) is cases(exercise)
