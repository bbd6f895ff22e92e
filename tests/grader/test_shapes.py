"""Into which shape a result is brought, and what is said of one that has another."""

from __future__ import annotations

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


@pytest.mark.parametrize("count", [2**53 - 1, 2**53, 3 * 10**23 + 1])
def test_a_whole_number_in_floats_is_right_as_far_as_floats_go(count: int) -> None:
    assert same(shaped(float(count), int), count, 1e-9)
    assert not same(shaped(count + 1, int), count, 1e-9)
    assert not same(shaped(float(count) * (1 + 1e-6), int), count, 1e-9)
