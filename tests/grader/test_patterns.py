"""What is said of a wrong answer that makes no known mistake."""

from __future__ import annotations

import doctest
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from grader import judging, patterns
from grader.exercise import Exercise
from grader.judging import judge
from grader.patterns import pattern

INPUTS = [{"stage": stage, "ranks": ranks} for stage in (1, 2, 3) for ranks in (1, 2, 3, 4)]


def said(answer: Any, expected: Any = lambda stage, ranks: 12 * ranks + stage) -> str:
    tried = [(one, answer(**one) == expected(**one)) for one in INPUTS]
    wrong = [(one, expected(**one), answer(**one)) for one, right in tried if not right]
    return pattern(tried, wrong, 1e-9)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda stage, ranks: 12 * ranks + stage + 1, "wrong on all 12 inputs, always one too many"),
        (lambda stage, ranks: 2 * (12 * ranks + stage), "wrong on all 12 inputs, always the expected × 2"),
        (lambda stage, ranks: (12 * ranks + stage) / 8, "wrong on all 12 inputs, always the expected ÷ 8"),
        (
            lambda stage, ranks: (12 * ranks + stage) / ranks,
            "right on 3 of 12 inputs, wrong wherever ranks is above 1, there always the expected ÷ ranks",
        ),
        (
            lambda stage, ranks: 12 * ranks + stage - (stage == 2),
            "right on 8 of 12 inputs, wrong wherever stage = 2, there always one too few",
        ),
        (lambda stage, ranks: 12 * ranks + stage + ranks * (stage == ranks == 3), "right on 11 of 12 inputs"),
        (
            lambda stage, ranks: 12 * ranks + stage + ranks * (stage == 2 and ranks > 2),
            "right on 10 of 12 inputs",
        ),
        (lambda stage, ranks: 0, "wrong on all 12 inputs, always 0"),
        (
            lambda stage, ranks: 12 * ranks + stage if stage == 1 else 24.5,
            "right on 4 of 12 inputs, wrong wherever stage is above 1, there always 24.5",
        ),
        (lambda stage, ranks: float("inf"), "wrong on all 12 inputs"),
        (lambda stage, ranks: str(12 * ranks + stage), "wrong on all 12 inputs"),
    ],
)
def test_what_holds_on_every_input_is_said(answer: Any, told: str) -> None:
    assert said(answer) == told


def test_an_argument_that_inputs_leave_out_is_no_error() -> None:
    tried: list[tuple[dict[str, Any], bool]] = [
        ({"batch": batch} | ({"population": None} if batch % 2 else {}), batch % 2 == 0) for batch in range(12)
    ]
    wrong = [(one, one["batch"], one["batch"] + 1) for one, right in tried if not right]
    assert pattern(tried, wrong, 0) == (
        "right on 6 of 12 inputs, wrong wherever population = None, there always one too many"
    )


@pytest.mark.parametrize(
    ("inputs", "is_wrong"),
    [
        ([{"ranks": ranks, "nodes": 5 + ranks % 2} for ranks in range(20)], {"nodes": 5, "ranks": (2, 6, 8, 10)}),
        ([{"ranks": ranks, "nodes": nodes} for ranks in range(6) for nodes in range(2, 9)], {"nodes": 5, "ranks": 1}),
        ([{"heads": 2 * n, "width": 7 * n, "memory": m} for n in (1, 2, 4) for m in range(9)], {"heads": 4}),
        ([{"examples": n} for n in range(20, 40)], {"examples": (21, 23, 25, 27, 29, 31)}),
    ],
)
def test_what_is_true_by_the_choice_of_inputs_is_not_said(inputs: list[Any], is_wrong: dict[str, Any]) -> None:
    """A number that half of the inputs have, a single input, inputs that have two values in common, odd numbers."""

    def right(one: dict[str, int]) -> bool:
        return not all(
            one[name] in (value if isinstance(value, tuple) else (value,)) for name, value in is_wrong.items()
        )

    tried = [(one, right(one)) for one in inputs]
    assert pattern(tried, [], 0) == f"right on {sum(good for _, good in tried)} of {len(inputs)} inputs"


def test_whatever_answers_show_there_is_a_verdict() -> None:
    """Odd values, in inputs that leave arguments out; drawn anew under a seed that the test's name has not."""
    odd = [
        None,
        True,
        0,
        -1,
        2**5000,
        1e308,
        float("inf"),
        float("nan"),
        "x",
        [],
        [[1], 2],
        {"a": [1]},
        {1},
        Fraction(1, 3),
    ]
    for seed in range(300):
        chance = Random(seed)

        def drawn(names: str = "abc", chance: Random = chance) -> dict[str, Any]:
            return {name: chance.choice(odd) for name in names if chance.random() < 0.7}

        tried = [({"n": number, **drawn()}, chance.random() < 0.5) for number in range(14)]
        shown = {number: chance.choice(odd) for number in range(14)}
        wanted = {number: chance.choice(odd) for number in range(14)}
        exercise = Exercise(
            same_again,
            number=1,
            asked="anything",
            expected=lambda n, wanted=wanted, **_: {"result": wanted[n]},
            examples=[one for one, _ in tried],
            inputs=[],
        )
        verdict = judge(exercise, lambda n, shown=shown, **_: shown[n])
        assert verdict.status == "wrong"
        assert verdict.got
        assert verdict.case is not None


def test_a_pattern_that_cannot_be_found_costs_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any) -> str:
        raise KeyError("population")

    monkeypatch.setattr(judging, "pattern", breaks)
    examples = [{"n": number} for number in range(3)]
    exercise = Exercise(same_again, number=1, asked="n", expected=same_again, examples=examples, inputs=[])
    verdict = judge(exercise, lambda n: n + 1)
    assert (verdict.status, verdict.expected, verdict.got, verdict.pattern) == ("wrong", "0", "1", "")


def same_again(n: Any, **_: Any) -> Any:
    """Return n."""
    return n


def test_entries_in_another_order_are_known_by_their_values() -> None:
    def expected(stage: int, ranks: int) -> list[float]:
        return [0.1 * (rank + stage) for rank in range(ranks)]

    def backwards(stage: int, ranks: int) -> list[float]:
        return [rank / 10 + stage / 10 for rank in reversed(range(ranks))]

    assert "always the right entries in another order" in said(backwards, expected)
    assert said(lambda stage, ranks: expected(stage, ranks)[1:], expected).endswith("always one entry too few")


def test_the_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(patterns).failed == 0
