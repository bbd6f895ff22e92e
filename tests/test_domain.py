"""Each check takes the ends of its range, refuses what lies just beyond, and says so in full."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from snippets import domain

NEXT_TO_ZERO = math.nextafter(0, 1)


@pytest.mark.parametrize(
    ("check", "value", "result"),
    [
        (domain.positive_integer, 1, 1),
        (domain.positive_integer, np.int64(7), 7),
        (domain.nonnegative_integer, 0, 0),
        (lambda name, value: domain.integer_at_least(name, value, -3), -3, -3),
        (lambda name, value: domain.at_most(name, value, 4), 4, 4),
        (domain.at_most, 2**20, 2**20),
        (lambda name, value: domain.integer_at_least(name, value, 2), 2.0, 2),
        (domain.positive_number, NEXT_TO_ZERO, NEXT_TO_ZERO),
        (domain.nonnegative_number, 0, 0.0),
        (domain.nonnegative_exact, 0, 0),
        (domain.nonnegative_exact, Fraction(1, 3), Fraction(1, 3)),
        (domain.finite_number, -1.7e308, -1.7e308),
        (domain.probability, 0, 0.0),
        (domain.probability, 1, 1.0),
        (domain.flag, False, False),
        (domain.text, "", ""),
        (domain.as_float, Fraction(3, 2), 1.5),
        (lambda name, value: domain.one_of(name, value, (0, 1)), 0, 0),
        (lambda name, value: domain.each(name, value, domain.probability), np.array([0.0, 1.0]), (0.0, 1.0)),
        (lambda name, value: domain.each(name, value, domain.probability), (), ()),
    ],
)
def test_the_ends_of_a_range_are_in_it(check: Callable[[str, Any], Any], value: Any, result: Any) -> None:
    taken = check("n", value)
    assert taken == result
    assert type(taken) is type(result)


@pytest.mark.parametrize(
    ("check", "value", "told"),
    [
        (domain.positive_integer, 0, "n must be an integer of at least 1, got 0"),
        (domain.positive_integer, 1.5, "n must be an integer of at least 1, got 1.5"),
        (domain.nonnegative_integer, -1, "n must be an integer of at least 0, got -1"),
        (domain.nonnegative_integer, True, "n must be an integer of at least 0, got True"),
        (domain.at_most, 2**20 + 1, "n must be at most 1048576, got 1048577"),
        (domain.at_most, -1, "n must be an integer of at least 0, got -1"),
        (
            lambda name, value: domain.integer_at_least(name, value, 2),
            1.0,
            "n must be an integer of at least 2, got 1.0",
        ),
        (domain.positive_number, 0, "n must be a finite number above 0, got 0"),
        (domain.positive_number, "1", "n must be a finite number above 0, got '1'"),
        (domain.nonnegative_number, -NEXT_TO_ZERO, "n must be a finite number of at least 0, got -5e-324"),
        (domain.nonnegative_exact, math.inf, "n must be a finite number of at least 0, got inf"),
        (domain.finite_number, math.nan, "n must be a finite number, got nan"),
        (domain.finite_number, b"1", "n must be a finite number, got b'1'"),
        (domain.probability, math.nextafter(1, 2), "n must be a number from 0 to 1, got 1.0000000000000002"),
        (domain.probability, -NEXT_TO_ZERO, "n must be a number from 0 to 1, got -5e-324"),
        (domain.flag, 0, "n must be True or False, got 0"),
        (domain.text, b"", "n must be a text, got b''"),
        (
            domain.as_float,
            Fraction(10) ** 309,
            "n must be such that the result fits a float, got a result above 1.8e308",
        ),
        (lambda name, value: domain.one_of(name, value, ("a", 1)), [], "n must be one of 'a', 1, got []"),
        (
            lambda name, value: domain.each(name, value, domain.flag),
            np.array(1.0),
            "n must be a sequence, got array(1.)",
        ),
        (lambda name, value: domain.each(name, value, domain.flag), {0: True}, "n must be a sequence, got {0: True}"),
        (lambda name, value: domain.each(name, value, domain.flag), [True, 2], "n[1] must be True or False, got 2"),
        (lambda name, value: domain.text_fields(value, name), SimpleNamespace(n=1), "n must be a text, got 1"),
    ],
)
def test_what_lies_beyond_is_refused(check: Callable[[str, Any], Any], value: Any, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        check("n", value)
