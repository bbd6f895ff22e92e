"""A slip in a choice is named whatever design it leads to: solutions that try designs in another order make it too."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from grader.cases import cases
from grader.catalogue import chapters
from grader.exercise import Exercise, Mistake
from grader.judging import is_solved_by, judge
from grader.source import changed_solution

FOUND = {name: exercise for chapter in chapters() for name, exercise in chapter.exercises.items()}
OTHER_ORDER: Mapping[str, Mapping[str, str]] = {  # of an exercise, changes by which its solution finds other designs
    "choose_tensor_cut": {
        "d = hidden // heads\n": "d, found = hidden // heads, None\n",
        "                return t, g": "                found = t, g",
        "return None": "return found",
    },
    "choose_context_parallel": {
        "    R = 1\n": "    R, found = 1, None\n",
        "                return kind, R": "                found = kind, R",
        "return None": "return found",
    },
    "choose_pipeline": {
        "    def meets(": "    found = None\n\n    def meets(",
        "                return schedule, m": "                found = schedule, m",
        "return None": "return found",
    },
    "sharding_design": {
        "    layer, gpus = parameters / layers": "    found = None\n    layer, gpus = parameters / layers",
        "                return stage, group, name": "                found = stage, group, name",
        "return None": "return found",
    },
    "choose_experts": {
        "    for k in (1, 2, 4, 8):": "    found = None\n    for k in (1, 2, 4, 8):",
        "                    return E, k, q": "                    found = E, k, q",
        "return None": "return found",
    },
    "plan_step": {
        "range(1, min(machines, sequences) + 1)": "reversed(range(1, min(machines, sequences) + 1))",
        "for own in shares]": "for own in shares[::-1]]",
    },
    "choose_offload": {
        "    for choice in [\n": "    for choice in reversed([\n",
        "    ]:\n": "    ]):\n",
        "min(found)[2]": "min(found, key=lambda one: one[0])[2]",
    },
    "choose_all_reduce": {
        "table.append((meets[now], now))": "table.append((1.004 * meets[now], now))",
    },
    "place_mesh": {
        "    return min(found)[1]": "    return max(found, key=lambda one: (-round(one[0], 9), one[1]))[1]",
    },
    "fastest_design": {
        "flops < least": "flops <= least",
    },
    "tensors_to_drop": {
        "flops < best[0]": "flops <= best[0]",
    },
}
SLIPS = [
    pytest.param(FOUND[name], mistake, order, id=f"{name}-{mistake.name}")
    for name, order in OTHER_ORDER.items()
    for mistake in FOUND[name].mistakes
    if mistake.accepts and not callable(mistake.wrong)
]


@pytest.mark.parametrize("name", OTHER_ORDER)
def test_a_solution_that_finds_other_designs_is_right(name: str) -> None:
    exercise = FOUND[name]
    other = changed_solution(exercise, OTHER_ORDER[name].items())
    assert is_solved_by(exercise, other)
    assert any(other(**case.inputs) != exercise.solution(**case.inputs) for case in cases(exercise))


@pytest.mark.parametrize(("exercise", "mistake", "order"), SLIPS)
def test_a_slip_is_named_in_other_designs(exercise: Exercise, mistake: Mistake, order: Mapping[str, str]) -> None:
    assert not callable(mistake.wrong)
    verdict = judge(exercise, changed_solution(exercise, [*mistake.wrong.items(), *order.items()]))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake.name), verdict
