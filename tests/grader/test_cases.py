"""The inputs that an exercise draws are the same in every process, whatever else it has loaded."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sampling import at_night, sampled

from grader.cases import cases, inputs_of
from grader.catalogue import chapters
from grader.comparing import plain
from grader.exercise import Exercise
from grader.judging import judge
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


@pytest.mark.parametrize("exercise", sampled(REDRAWN, 6), ids=lambda exercise: exercise.name)
@pytest.mark.parametrize("number", [1, at_night(20261124)])
def test_inputs_drawn_by_a_seed_are_others_and_solved_by_the_solution(exercise: Exercise, number: int) -> None:
    seeded = replace(exercise, seed=number)
    assert judge(seeded, exercise.solution).status == "solved"
    tried = [repr(plain(case.inputs)) for case in cases(seeded)]
    assert [repr(plain(one)) for one in inputs_of(replace(seeded))] == tried
    new = set(tried) - {repr(plain(case.inputs)) for case in cases(exercise)}
    assert len(new) >= 5
    caught = [judge(seeded, wrong_answer(exercise, mistake)).status == "wrong" for mistake in exercise.mistakes]
    assert all(caught) if exercise.drawn else any(caught)


def test_ranks_and_what_readers_tabulated_are_drawn_anew() -> None:
    programs = {exercise.name for exercise in EXERCISES if inspect.isgeneratorfunction(exercise.solution)}
    redrawn = {exercise.name for exercise in REDRAWN}
    assert programs | {"all_reduce_by_all_to_all", "fewest_ranks", "owners", "least_batch"} <= redrawn
    assert [exercise.name for exercise in EXERCISES if exercise.name not in redrawn] == ["fermi_range"]


def test_another_weight_draws_nothing_again() -> None:
    exercise = replace(EXERCISES[0], seed=5)
    assert cases(replace(exercise, weight=7.0)) is cases(exercise)
