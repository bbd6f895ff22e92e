"""Each check takes the ends of its range, refuses what lies just beyond, and says so in full."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
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
        (domain.positive_integer, 7e9, 7_000_000_000),
        (domain.positive_integer, np.float64(3), 3),
        (domain.positive_integer, 10**30, 10**30),
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
        (domain.positive_integer, math.inf, "n must be an integer of at least 1, got inf"),
        (domain.positive_integer, 1e31, "n must be an integer of at most 1e30, got 1e+31"),
        (domain.nonnegative_integer, -1, "n must be an integer of at least 0, got -1"),
        (domain.nonnegative_integer, True, "n must be an integer of at least 0, got True"),
        (domain.at_most, 2**20 + 1, "n must be at most 1048576, got 1048577"),
        (domain.at_most, -1, "n must be an integer of at least 0, got -1"),
        (
            lambda name, value: domain.integer_at_least(name, value, 2),
            1.0,
            "n must be an integer of at least 2, got 1.0",
        ),
        (
            lambda name, value: domain.integer_fields(value, name),
            SimpleNamespace(n=0),
            "n must be an integer of at least 1, got 0",
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
        (domain.as_float, math.inf, "n must be such that the result fits a float, got a result above 1.8e308"),
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


def test_fields_that_are_counts_become_integers() -> None:
    record = SimpleNamespace(layers=32.0, width=7)
    domain.integer_fields(record, "layers", "width")
    assert (record.layers, type(record.layers), record.width) == (32, int, 7)


@dataclass(frozen=True)
class Wire(domain.Checked):
    name: str
    lanes: int
    length_m: float | None
    speeds: tuple[int, ...] = ()


@dataclass(frozen=True)
class PricedWire(Wire):
    usd: float = 1.0


def test_a_record_has_its_fields_as_their_types_say() -> None:
    wire = PricedWire("copper", 4.0, None, (0,), 2)  # type: ignore[arg-type]
    assert repr(wire) == "PricedWire(name='copper', lanes=4, length_m=None, speeds=(0,), usd=2.0)"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"name": None}, "name must be a text, got None"),
        ({"lanes": 0}, "lanes must be an integer of at least 1, got 0"),
        ({"lanes": None}, "lanes must be an integer of at least 1, got None"),
        ({"length_m": 0}, "length_m must be a finite number above 0, got 0"),
        ({"usd": None}, "usd must be a finite number above 0, got None"),
    ],
)
def test_a_record_refuses_what_its_types_do_not_allow(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        PricedWire(**{"name": "copper", "lanes": 4, "length_m": 1.5, **wrong})


NAMES = ("all_reduce", "all_gather", "halving_doubling")


@pytest.mark.parametrize("written", ["all_reduce", "all-reduce", "All Reduce", "ALLREDUCE", " allreduce", "all–reduce"])
def test_a_name_is_found_in_any_usual_spelling(written: str) -> None:
    assert domain.named("primitive", written, NAMES) == "all_reduce"


def test_an_alias_is_found_where_its_name_is_allowed() -> None:
    aliases = {"Rabenseifner": "halving_doubling"}
    assert domain.named("algorithm", "rabenseifner", NAMES, aliases=aliases) == "halving_doubling"
    with pytest.raises(ValueError, match="algorithm must be one of 'all_reduce', 'all_gather', got 'Rabenseifner'"):
        domain.named("algorithm", "Rabenseifner", NAMES[:2], aliases=aliases)


@pytest.mark.parametrize("wrong", ["", "all", "reduce_all", None, 3, b"all_reduce", ["all_reduce"]])
def test_of_few_names_all_are_told(wrong: object) -> None:
    told = f"primitive must be one of {', '.join(map(repr, NAMES))}, got {wrong!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        domain.named("primitive", wrong, NAMES)


MANY = domain.Catalogue("number", SimpleNamespace, (SimpleNamespace(name=f"Number {n:02} of many") for n in range(40)))


def test_of_many_names_the_near_ones_are_told() -> None:
    with pytest.raises(ValueError, match=r"^number must be one of 'Number 07 of many', got 'number 07'$"):
        MANY["number 07"]
    with pytest.raises(ValueError, match=r"^number must be one of 'Number 17 of many', .*, got 'Nummber 17 of many'$"):
        MANY["Nummber 17 of many"]
    with pytest.raises(ValueError, match=r"'Number 00 of many', .*'Number 39 of many', got 'zebra'"):
        MANY["zebra"]


def test_a_catalogue_is_a_mapping() -> None:
    entry = MANY["number-07-OF-many"]
    assert (len(MANY), list(MANY)[:2]) == (40, ["Number 00 of many", "Number 01 of many"])
    assert "number 07 of many" in MANY
    assert "zebra" not in MANY
    assert MANY.get("zebra") is None
    assert MANY.find(entry) is MANY.find("Number 07 of many") is entry
    with pytest.raises(ValueError, match=r"number must be one of .*, got None"):
        MANY.find(None)  # type: ignore[arg-type]
    with pytest.raises(KeyError):  # what a mapping raises
        MANY["zebra"]
