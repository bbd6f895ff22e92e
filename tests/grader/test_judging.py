"""What a verdict says where an answer's result is too long to be shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.exercise import Exercise
from grader.judging import judge

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
