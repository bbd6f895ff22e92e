"""The figure of message times says what a link gives on which bytes follow each other, and draws it there."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.foundations.alpha_beta.live import message_time
from snippets.live.knobs import Number, from_units

KNOBS = [knob for knob in message_time.knobs if isinstance(knob, Number)]


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """Any point of the knobs' ranges, on their logarithmic scales."""
    drawn = {}
    for knob in KNOBS:
        value = math.exp(draw(st.floats(math.log(knob.low), math.log(knob.high))))
        drawn[knob.name] = min(max(round(value) if knob.whole else value, knob.low), knob.high)
    return drawn


@given(settings())
def test_the_numbers_are_those_of_a_link_on_which_bytes_follow_each_other(drawn: dict[str, Any]) -> None:
    numbers = message_time(**drawn).numbers
    alpha, per_byte = Fraction(drawn["latency_s"]), 1 / Fraction(drawn["bandwidth_bytes_per_s"])
    clock, sent = Fraction(0), Fraction(drawn["size_bytes"]) / drawn["messages"]
    for _ in range(drawn["messages"]):
        clock += alpha + sent * per_byte
    said = re.search(
        r": ([\d.]+ \S*s), of which ([\d.]+ \S*s) .* is (?:over )?([\d.e-]+)% of .* n½ = ([\d.]+ \S*B)", numbers
    )
    assert said
    time, waits, share, half = said.groups()
    assert from_units("time", time, "s") == pytest.approx(float(clock), rel=6e-3)
    assert from_units("waits", waits, "s") == pytest.approx(float(drawn["messages"] * alpha), rel=6e-3)
    reached = Fraction(drawn["size_bytes"]) / clock * per_byte
    assert float(share) == pytest.approx(100 * float(reached), rel=6e-3)
    # At the half-bandwidth point a message waits as long as it moves.
    assert from_units("half", half, "B") * float(per_byte) == pytest.approx(float(alpha), rel=6e-3)


def test_the_first_picture_is_the_chapters_link() -> None:
    assert message_time().numbers == (
        "1 MB in one message: 25 µs, of which 5 µs are latency. That is 80% of the bandwidth of 50 GB/s (one "
        "direction); half of it needs messages of n½ = 250 kB."
    )
    cut = message_time(messages=1000).numbers
    assert "5.02 ms, of which 5 ms" in cut
    assert cut.endswith("At once it would take 25 µs.")


def test_no_message_reaches_the_whole_bandwidth() -> None:
    for size in (1e9, 1e10):
        picture = message_time(size_bytes=size)
        assert "That is over 99.9% of" in picture.numbers
        assert "and over 99.9%." in picture.alt
        assert all(
            "100%" not in text for text in re.findall(r"<text[^>]*font-weight[^>]*>([^<]*)", picture.panels[1].svg())
        )


def test_the_square_stands_at_half_of_the_bandwidth_on_the_curve() -> None:
    svg = message_time().panels[1].svg()
    (x, y) = map(float, re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="8"', svg)[0])
    curve = re.search(r'class="l-accent" d="M([^"]*)" style="stroke-width:2"', svg)
    assert curve
    points = [tuple(map(float, point.split())) for point in curve[1].split("L")]
    left = max(point for point in points if point[0] <= x + 4)
    right = min(point for point in points if point[0] > x + 4)
    at = left[1] + (right[1] - left[1]) * (x + 4 - left[0]) / (right[0] - left[0])
    assert at == pytest.approx(y + 4, abs=1.5)


def test_the_questions_thousand_tensors_are_a_named_setting() -> None:
    values = next(named.values for named in message_time.named if "question" in named.name)
    assert message_time(**values).numbers == (
        "1 GB in 1,000 messages of 1 MB: 1.04 s, of which 1 s are latency. That is 3.85% of the bandwidth of 25 GB/s "
        "(one direction); half of it needs messages of n½ = 25 MB. At once it would take 41 ms."
    )
