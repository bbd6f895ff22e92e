"""Into which shape a result is brought, and what is said of one that has another."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from grader.comparing import same
from grader.shapes import WrongShape, shaped


@pytest.mark.parametrize(
    ("value", "got"),
    [([(3, 4)], "(a tuple of 2)"), ((3, 4, 5), "(3, 4, 5)"), ([], "a list of 0"), (list(range(9)), "a list of 9")],
)
def test_a_tuple_of_another_length_is_said_as_it_is(value: Any, got: str) -> None:
    with pytest.raises(WrongShape) as refused:
        shaped(value, tuple[int, int])
    assert refused.value.got == got


HUGE = 2**20_000


@pytest.mark.parametrize("kind", [int, float, Fraction, bool, list[int]])
@pytest.mark.parametrize("value", [HUGE, Fraction(1, HUGE), Fraction(HUGE, 3)], ids=["whole", "below", "above"])
def test_a_number_that_nobody_could_print_is_refused(value: Any, kind: Any) -> None:
    listed = kind == list[int]
    with pytest.raises(WrongShape) as refused:
        shaped([value] if listed else value, kind)
    assert refused.value.got == f"a number of 20,001 bits{' in it' if listed else ''}"


@pytest.mark.parametrize("value", [2**9_999, 10**400, float("inf"), 1e300])
def test_a_large_number_is_taken_as_it_is(value: Any) -> None:
    assert shaped(value, int) == value


@pytest.mark.parametrize("count", [2**53 - 1, 2**53, 3 * 10**23 + 1])
def test_a_whole_number_in_floats_is_right_as_far_as_floats_go(count: int) -> None:
    assert same(shaped(float(count), int), count, 1e-9)
    assert not same(shaped(count + 1, int), count, 1e-9)
    assert not same(shaped(float(count) * (1 + 1e-6), int), count, 1e-9)
