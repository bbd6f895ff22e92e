"""How a choice of which several may be right is judged, and what else exercises are declared with."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from grader.choices import Choice
from grader.exercise import Exercise, Mistake, inputs_for
from grader.judging import judge, judge_shown, shown_by
from grader.seeing import NOT_TOLD


def choose_divisor(*, number: int, most: int) -> int | None:
    """Return a divisor of a number that is above 1 and at most ``most``; ``None`` if there is none."""
    return next((divisor for divisor in range(2, most + 1) if number % divisor == 0), None)


def divisors(number: int, most: int) -> str | None:
    found = [divisor for divisor in range(2, most + 1) if number % divisor == 0]
    return f"one of {found}" if found else None


def fault(chosen: int, *, number: int, most: int) -> str:
    if not 2 <= chosen <= most:
        return f"{chosen}, which is not from 2 to {most}"
    return f"{chosen}, which leaves {number % chosen}" if number % chosen else ""


CHOICE = Choice("divisor", divisors, fault, none="None, since there is no divisor")
CASES = [{"number": number, "most": most} for number in range(2, 20) for most in range(1, 20)]
EXERCISE = Exercise(
    choose_divisor,
    number=1,
    asked="a divisor",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[CASES[0], CASES[-1]],
    inputs=CASES,
)


def largest(*, number: int, most: int) -> int | None:
    return next((divisor for divisor in range(most, 1, -1) if number % divisor == 0), None)


@pytest.mark.parametrize("answer", [choose_divisor, largest])
def test_all_right_choices_are_solved(answer: Any) -> None:
    assert judge(EXERCISE, answer).status == "solved"


@pytest.mark.parametrize(
    ("chosen", "inputs", "shown"),
    [
        (2, {"number": 6, "most": 4}, "one of [2, 3]"),
        (3, {"number": 6, "most": 4}, "one of [2, 3]"),
        (4, {"number": 6, "most": 4}, "4, which leaves 2"),
        (6, {"number": 6, "most": 4}, "6, which is not from 2 to 4"),
        (2, {"number": 5, "most": 4}, "2, which leaves 1"),
        (None, {"number": 5, "most": 4}, "None, since there is no divisor"),
        (None, {"number": 6, "most": 4}, None),
    ],
)
def test_a_choice_shows_what_is_wrong_with_it(chosen: int | None, inputs: dict[str, int], shown: str | None) -> None:
    assert CHOICE.observe(lambda **_: chosen, **inputs) == {"divisor": shown}


@pytest.mark.parametrize("answer", [lambda **_: None, lambda **_: 2, lambda *, number, most: most])
def test_none_where_there_is_a_choice_and_a_choice_where_there_is_none_are_wrong(answer: Any) -> None:
    assert judge(EXERCISE, answer).status == "wrong"


def test_none_where_there_is_a_choice_is_given_no_reason() -> None:
    verdict = judge(EXERCISE, lambda **_: None)
    assert (verdict.expected, verdict.got) == ("divisor: one of [2]", "divisor: None")


BELOW = Mistake(
    "stays_below",
    "The most is allowed too.",
    lambda *, number, most: choose_divisor(number=number, most=most - 1),
    accepts=lambda chosen, *, number, most: (
        divisors(number, most - 1) is None or not fault(chosen, number=number, most=most - 1)
    ),
)
ALWAYS_TWO = Mistake("two", "Not all numbers are even.", lambda **_: 2, accepts=lambda chosen, **_: chosen == 2)
COUNTED = [case for case in CASES if divisors(**case)]  # in each there is a divisor


def named(answer: Any, *mistakes: Mistake) -> str:
    exercise = dataclasses.replace(EXERCISE, examples=[COUNTED[0], COUNTED[-1]], inputs=COUNTED, mistakes=mistakes)
    return judge(exercise, answer).mistake


def largest_below(*, number: int, most: int) -> int:
    return largest(number=number, most=most - 1) or 9


def test_a_mistake_is_named_by_the_rule_that_an_answer_follows_in_any_design() -> None:
    assert judge(dataclasses.replace(EXERCISE, mistakes=[BELOW]), choose_divisor).status == "solved"
    assert named(largest_below, BELOW, ALWAYS_TWO) == "stays_below"
    assert named(lambda **_: 2.0, ALWAYS_TWO, BELOW) == "two"


@pytest.mark.parametrize("result", [NOT_TOLD, None, "2"])
def test_no_rule_is_found_in_choices_that_are_not_told(result: Any) -> None:
    exercise = dataclasses.replace(EXERCISE, examples=[COUNTED[0], COUNTED[-1]], inputs=COUNTED, mistakes=[BELOW])
    shown = list(shown_by(exercise, largest_below))
    assert judge_shown(exercise, shown).mistake == "stays_below"
    assert judge_shown(exercise, [dataclasses.replace(one, result=result) for one in shown]).mistake == ""


@pytest.mark.parametrize(
    "answer",
    [
        lambda *, number, most: largest(number=number, most=most) if number != 12 else 99,  # no rule of those
        lambda *, number, most: "2",  # none that a rule could judge
        lambda *, number, most: largest(number=number, most=most) if (number, most) != (4, 2) else 9,  # wrong once
    ],
)
def test_an_answer_that_follows_no_rule_is_accused_of_none(answer: Any) -> None:
    assert named(answer, BELOW, ALWAYS_TWO) == ""


def test_an_answer_that_two_rules_explain_is_accused_of_neither() -> None:
    assert named(largest_below, BELOW, dataclasses.replace(BELOW, name="another", wrong=lambda **_: 3)) == ""


@pytest.mark.parametrize("values", [(), (4,), (4, 8, 2)])
def test_inputs_of_more_or_fewer_values_than_arguments_are_refused(values: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=rf"^values must be 2, number, most, got {len(values)}: "):
        inputs_for(choose_divisor)(*values)
