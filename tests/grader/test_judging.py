"""What a verdict says where an answer's result is too long or too large to be shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction

import pytest

from grader.exercise import Exercise, Observation
from grader.judging import brief, judge

SIDE = 100


def table(*, side: int) -> list[list[int]]:
    """Return a table of sevens."""
    return [[7] * side for _ in range(side)]


EXERCISE = Exercise(table, number=1, asked="sevens", expected=table, examples=[{"side": SIDE}], inputs=[])


@pytest.mark.parametrize(
    ("answer", "expected", "got"),
    [
        (lambda side: [*table(side=side)[1:], [7] * (side - 1) + [8]], "entry [99][99]: 7", "entry [99][99]: 8"),
        (lambda side: [*table(side=side)[1:], [7] * (side - 1)], "entry [99][99]: 7", "entry [99][99]: there is none"),
        (lambda side: [*table(side=side), [1, 2]], "entry [100]: there is none", "entry [100]: [1, 2]"),
        (lambda side: [[1, 2]], "[[7, 7, ", "[[1, 2]]"),
    ],
)
def test_results_that_look_alike_are_compared_where_they_differ(
    answer: Callable[..., list[list[int]]], expected: str, got: str
) -> None:
    verdict = judge(EXERCISE, answer)
    assert verdict.status == "wrong"
    assert verdict.expected.startswith(expected)
    assert verdict.got == got


def observed(function: Callable[..., list[list[int]]], **inputs: int) -> Observation:
    """Observe what no gate has seen."""
    return {"sum": function(**inputs)[0][0] * 10**5000}


def test_an_observed_number_that_python_cannot_write_costs_no_verdict() -> None:
    exercise = dataclasses.replace(EXERCISE, expected=lambda side: {"sum": 1}, observe=observed)
    verdict = judge(exercise, lambda side: [[7]])
    assert (verdict.status, verdict.got) == ("wrong", "sum: a value of int too large to be shown")


def test_a_fraction_is_cut_as_any_other_value_is() -> None:
    assert brief(Fraction(1, 3)) == "1/3"
    assert len(brief(Fraction(1, 10**4000))) == 300
    assert brief([Fraction(1, 10**5000)]) == "a value of list too large to be shown"
