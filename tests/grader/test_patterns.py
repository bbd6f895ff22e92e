"""What is said of a wrong answer that makes no known mistake."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from grader import patterns
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
            "right on 10 of 12 inputs, wrong only where stage = 2",
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


def test_entries_in_another_order_are_known_by_their_values() -> None:
    def expected(stage: int, ranks: int) -> list[float]:
        return [0.1 * (rank + stage) for rank in range(ranks)]

    def backwards(stage: int, ranks: int) -> list[float]:
        return [rank / 10 + stage / 10 for rank in reversed(range(ranks))]

    assert "always the right entries in another order" in said(backwards, expected)
    assert said(lambda stage, ranks: expected(stage, ranks)[1:], expected).endswith("always one entry too few")


def test_the_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(patterns).failed == 0
