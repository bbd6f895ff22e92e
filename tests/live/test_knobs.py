"""Knobs: stops, what is written and read back, and the refusals of declarations that cannot be meant."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.live.knobs import Choice, Number, Switch, from_units, in_units

WRITTEN_TO = 0.5e-2  # of three digits, the last may be off by half of one
RATIOS = (2.0, 10.0, 1.5, 2**0.25, 10**0.1, 1.01)


@st.composite
def linear_numbers(draw: st.DrawFn) -> Number:
    """Return a slider of whole or broken numbers, which need not end at a step."""
    whole = draw(st.booleans())
    low, step = draw(st.integers(-1000, 1000)), draw(st.integers(1, 50))
    high = low + step * draw(st.integers(1, 150)) + draw(st.integers(0, step - 1))
    if whole:
        return Number("n", "N", low + step * draw(st.integers(0, (high - low) // step)), low, high, step)
    return Number("n", "N", low / 8, low / 8, high / 8, step / 8, unit=draw(st.sampled_from(["", "s"])), whole=False)


@st.composite
def log_numbers(draw: st.DrawFn) -> Number:
    """Return a slider whose stops have one ratio."""
    whole, ratio = draw(st.booleans()), draw(st.sampled_from(RATIOS))
    unit = draw(st.sampled_from(["", "B", "B/s"]))
    low = draw(st.integers(1, 10**6)) if whole else draw(st.floats(1e-12, 1e12))
    high = low * draw(st.floats(1.5, 1e6))
    high = math.ceil(high) if whole else high
    return Number("n", "N", low, low, high, ratio, "log", unit, whole=whole)


numbers = st.one_of(linear_numbers(), log_numbers())


@st.composite
def set_numbers(draw: st.DrawFn) -> tuple[Number, float]:
    """Return a slider and a value that it allows."""
    knob = draw(numbers)
    if knob.whole:
        return knob, draw(st.integers(round(knob.low), round(knob.high)))
    return knob, draw(st.floats(knob.low, knob.high))


@given(linear_numbers())
def test_linear_stops_are_steps_from_the_low_end_and_the_high_end(knob: Number) -> None:
    low, high, step = (Fraction(end) for end in (knob.low, knob.high, knob.step))
    expected, value = [], low
    while value < high:
        expected.append(value)
        value += step
    assert list(knob.stops) == [*expected, high]


@given(log_numbers())
def test_log_stops_have_one_ratio_and_end_at_the_ends(knob: Number) -> None:
    assert (knob.stops[0], knob.stops[-1]) == (knob.low, knob.high)
    assert all(low < high for low, high in zip(knob.stops, knob.stops[1:], strict=False))
    value = knob.low
    for stop in knob.stops[1:-1]:
        value *= knob.step
        while knob.whole and round(value) < stop:  # stops that round to the same number are one
            value *= knob.step
        assert stop == pytest.approx(value, rel=1e-9, abs=0.5 if knob.whole else 0)
    least = math.log(knob.high / knob.low) / math.log(knob.step)
    assert len(knob.stops) <= least + 2
    assert knob.whole or len(knob.stops) >= least + 1 - 1e-6


@given(numbers)
def test_every_stop_is_read_back_by_its_number_and_stands_at_its_place(knob: Number) -> None:
    for place, stop in enumerate(knob.stops):
        assert knob.read(f"@{place}") == stop
        assert knob.place(stop) == place
    for raw in (f"@{len(knob.stops)}", "@-1", "@", "@x", "@1.0", "@²", "@" + "9" * 5000):
        with pytest.raises(ValueError, match=f"n must be one of {len(knob.stops)} stops, got '@"):
            knob.read(raw)


@given(set_numbers())
def test_a_link_is_read_back_as_the_same_value(given_: tuple[Number, float]) -> None:
    knob, value = given_
    assert knob.read(knob.plain(value)) == value


@given(set_numbers())
def test_what_the_page_shows_is_read_back_within_the_digits_shown(given_: tuple[Number, float]) -> None:
    knob, value = given_
    back = knob.read(knob.write(value))
    if knob.unit:
        assert back == pytest.approx(value, rel=WRITTEN_TO * 1.000001)
    else:
        assert back == pytest.approx(value, rel=0.5e-6 if abs(value) >= 1e6 else 0.5e-11)


@given(set_numbers())
def test_the_place_is_that_of_the_nearest_stop(given_: tuple[Number, float]) -> None:
    knob, value = given_

    def distance(stop: float) -> float:
        return abs(math.log(stop / value)) if knob.scale == "log" else abs(stop - value)

    least = min(map(distance, knob.stops))
    assert distance(knob.stops[knob.place(value)]) == pytest.approx(least, rel=1e-9, abs=1e-12)


def test_of_two_stops_as_near_the_lower_one_is_taken() -> None:
    assert Number("n", "N", 0, 0, 8, 2).place(3) == 1
    assert Number("n", "N", 1, 1, 64, 4, "log").place(8) == 1


@given(set_numbers(), st.floats(allow_nan=False))
def test_a_value_is_allowed_exactly_between_the_ends(given_: tuple[Number, float], value: float) -> None:
    knob, allowed = given_
    assert knob.check(allowed) == allowed
    assert isinstance(knob.check(allowed), int if knob.whole else float)
    if not knob.low <= value <= knob.high or (knob.whole and value % 1):
        with pytest.raises(ValueError, match=r"^n must be "):
            knob.check(value)


def test_a_refusal_tells_apart_what_is_written_alike() -> None:
    knob = Number("latency_s", "Latency", 5e-6 / 64, 5e-6 / 64, 1e-3, 2, "log", "s", whole=False)
    with pytest.raises(ValueError, match=r"latency_s must be from 78.1 ns to 1 ms, got 7.81e-08"):
        knob.check(78.1e-9)
    assert knob.read("78.1 ns") == knob.low  # which is what the page calls it


@pytest.mark.parametrize(
    ("written", "unit", "value"),
    [
        ("64 MB", "B", 64e6),
        ("64MB", "B", 64e6),
        ("64 M", "B", 64e6),
        ("64e6", "B", 64e6),
        ("64E6 B", "B", 64e6),
        ("64,000,000", "B", 64e6),
        ("64_000_000 B", "B", 64e6),
        ("64 000 000", "B", 64e6),
        ("64 MiB", "B", 64 * 2**20),
        ("4 kB", "B", 4000),
        ("4 KB", "B", 4000),
        ("4 KiB", "B", 4096),
        ("4 Ki", "B", 4096),
        ("1.5 GiB", "B", 1.5 * 2**30),
        ("2 TiB", "B", 2**41),
        ("1 PiB", "B", 2**50),
        ("1 PB", "B", 1e15),
        ("5us", "s", 5e-6),
        ("5 µs", "s", 5e-6),
        ("5 \N{GREEK SMALL LETTER MU}s", "s", 5e-6),
        ("5 ms", "s", 5e-3),
        ("5 s", "s", 5),
        (".5 ns", "s", 0.5e-9),
        ("3 fs", "s", 3e-15),
        ("3 ps", "s", 3e-12),
        ("450 GB/s", "B/s", 450e9),
        ("989 TFLOP/s", "FLOP/s", 989e12),
        ("1 EFLOP/s", "FLOP/s", 1e18),
        ("-3", "", -3),
        ("+3.", "", 3),
        ("7e9", "", 7e9),
        ("7 G", "", 7e9),
        ("1e-3", "", 1e-3),
        (" 8 ", "", 8),
    ],
)
def test_quantities_are_read_as_people_write_them(written: str, unit: str, value: float) -> None:
    assert from_units("size", written, unit) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        *[(written, "B") for written in ("", "B", "MB", "4 s", "4 Bs", "4 mib", "4 Mi B x", "--4", "4 4e", "4.4.4")],
        *[(written, "B") for written in ("nan", "inf", "1e999", "1e999 Ki", "1e308 E", "٤ parsecs", "0x10", "1/2")],
        ("4 B", ""),
        ("9" * 100_000, "B"),
    ],
)
def test_what_is_no_quantity_is_refused_by_name(written: str, unit: str) -> None:
    with pytest.raises(ValueError, match=r"^size must be a number, with(out)? .*got '") as refusal:
        from_units("size", written, unit)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0, "s", "0 s"),
        (1, "B", "1 B"),
        (999.4, "B", "999 B"),
        (999.6, "B", "1 kB"),
        (1000, "B", "1 kB"),
        (4096, "B", "4.1 kB"),  # a power of two has no prefix of its own
        (2**30, "B", "1.07 GB"),
        (-2500, "B", "-2.5 kB"),
        (0.001, "s", "1 ms"),
        (3.2e-17, "s", "0.032 fs"),
        (1e21, "B", "1000 EB"),
        (999.6, "", "1,000"),
        (0.1234, "", "0.123"),
        (1234.5, "", "1,234"),
    ],
)
def test_quantities_are_written_with_prefixes_of_the_si(value: float, unit: str, written: str) -> None:
    assert in_units(value, unit) == written


@given(st.floats(1e-18, 1e27), st.sampled_from(["B", "s", "B/s", "FLOP/s"]), st.integers(1, 12))
def test_a_written_quantity_is_within_its_digits(value: float, unit: str, digits: int) -> None:
    back = from_units("size", in_units(value, unit, digits=digits), unit)
    assert back == pytest.approx(value, rel=0.5 * 10.0 ** (1 - digits) * 1.000001)


@given(st.text(max_size=20), st.sampled_from(["", "B", "s"]))
def test_any_text_is_a_finite_number_or_refused(written: str, unit: str) -> None:
    try:
        number = from_units("size", written, unit)
    except ValueError as refusal:
        number, said = 0.0, str(refusal)
    else:
        said = "size must be a number"
    assert math.isfinite(number)
    assert said.startswith("size must be a number")


def test_a_choice_and_a_switch_give_back_what_they_take() -> None:
    choice = Choice("order", "Order", {"gpipe": "GPipe", "one": "1F1B"}, "one")
    for value, shown in choice.options.items():
        assert choice.read(choice.plain(value)) == value
        assert choice.write(value) == shown
    for raw in ("GPipe", "", "on"):
        with pytest.raises(ValueError, match=r"order must be one of 'gpipe', 'one', got"):
            choice.read(raw)
    switch = Switch("both", "Both", False)
    for on in (True, False):
        assert switch.read(switch.plain(on)) is on
    for refused in (1, 0, "on", None):
        with pytest.raises(ValueError, match="both must be True or False, got"):
            switch.check(refused)
    with pytest.raises(ValueError, match="both must be one of 'on', 'off', got 'True'"):
        switch.read("True")


GOOD: dict[str, Any] = {"name": "n", "label": "N", "default": 4, "low": 1, "high": 64, "step": 1}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": "n m"}, "name must be the name of an argument, got 'n m'"),
        ({"name": "lambda"}, "name must be the name of an argument, got 'lambda'"),
        ({"label": " "}, "label must be a text that is not empty, got ' '"),
        ({"low": 64}, "low must be below high and .*, got 64 and high = 64"),
        ({"low": 0.5}, "low must be a whole number, got 0.5"),
        ({"default": 65}, "default must be from low = 1 to high = 64, got 65"),
        ({"step": 0}, "step must be above 0 on a linear scale, got 0"),
        ({"step": 1.5}, "step must be a whole number, got 1.5"),
        ({"step": 2}, "default must be a stop: low, high, or a number of step from low, got 4"),
        ({"scale": "log", "step": 1}, "step must be above 1 on a log scale, got 1"),
        ({"scale": "log", "step": 2, "low": 0}, "low must be .*on a logarithmic scale at least 1e-30, got 0"),
        ({"scale": "square"}, "scale must be one of 'linear', 'log', got 'square'"),
        ({"high": 5000}, "low, high and step must leave at most 2000 stops, got 1, 5000 and 1"),
        ({"high": 1e31}, r"high must be a number from -1e\+30 to 1e\+30, got 1e\+31"),
        ({"unit": "B2"}, "unit must be a text without digits and with nothing around it, got 'B2'"),
        ({"unit": " B"}, "unit must be a text without digits and with nothing around it, got ' B'"),
        ({"play": 1}, "play must be True or False, got 1"),
    ],
)
def test_a_number_that_cannot_be_meant_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Number(**{**GOOD, **changed})


@pytest.mark.parametrize(
    ("options", "default", "message"),
    [
        ({"a": "A"}, "a", "options must be a mapping of at least two values"),
        ({"a": "A", "b": ""}, "a", "options must be texts that are not empty"),
        ({"a": "A", "b": 2}, "a", "options must be a text, got 2"),
        ({"a": "A", "b": "B"}, "c", "default must be one of 'a', 'b', got 'c'"),
    ],
)
def test_a_choice_that_cannot_be_meant_is_refused(options: Any, default: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Choice("order", "Order", options, default)
