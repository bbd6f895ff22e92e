"""The figures say what a link gives on which bytes, or buckets, follow each other, and draw it there."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.foundations.alpha_beta.buckets import bucketed_step
from snippets.foundations.alpha_beta.live import bucketed_gradient, message_time
from snippets.live.declaring import LiveFigure
from snippets.live.knobs import Number, from_units


@st.composite
def settings(draw: st.DrawFn, figure: LiveFigure) -> dict[str, Any]:
    """Any point of the knobs' ranges, on their logarithmic scales."""
    drawn = {}
    for knob in figure.knobs:
        assert isinstance(knob, Number)
        value = math.exp(draw(st.floats(math.log(knob.low), math.log(knob.high))))
        drawn[knob.name] = min(max(round(value) if knob.whole else value, knob.low), knob.high)
    return drawn


@given(settings(message_time))
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
        "1 GB in 1,000 messages of 1 MB: 1.05 s, of which 1 s are latency. That is 4.76% of the bandwidth of 20 GB/s "
        "(one direction); half of it needs messages of n½ = 20 MB. At once it would take 51 ms."
    )


def end_s(count: int, *, total_bytes: float, compute_s: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return when a link has sent its last bucket, by a clock that goes from bucket to bucket."""
    free_s, busy_s = 0.0, latency_s + total_bytes / count / bandwidth_bytes_per_s
    for number in range(1, count + 1):
        free_s = max(free_s, compute_s * number / count) + busy_s
    return free_s


@given(settings(bucketed_gradient))
def test_the_step_ends_when_a_link_has_sent_its_buckets(drawn: dict[str, Any]) -> None:
    numbers = bucketed_gradient(**drawn).numbers
    step = {name: drawn[name] for name in ("compute_s", "latency_s", "bandwidth_bytes_per_s")}
    step["total_bytes"] = drawn["size_bytes"]
    said = re.search(
        r"ends? the step at ([\d.]+ \S*s), with .* The best number is ([\d,]+), at ([\d.]+ \S*s);", numbers
    )
    assert said
    assert from_units("end", said[1], "s") == pytest.approx(end_s(drawn["buckets"], **step), rel=6e-3)
    best = int(said[2].replace(",", ""))
    nearby = range(max(1, best - 2), best + 3) if best < 1000 else ()
    assert all(end_s(best, **step) <= end_s(other, **step) * (1 + 1e-9) for other in nearby)


@pytest.mark.parametrize("name", [named.name for named in bucketed_gradient.named])
def test_what_is_near_the_best_is_what_a_search_finds(name: str) -> None:
    values = next(named.values for named in bucketed_gradient.named if named.name == name)
    drawn = {knob.name: knob.default for knob in bucketed_gradient.knobs} | dict(values)
    step = {key: value for key, value in drawn.items() if key not in ("buckets", "size_bytes")}
    found = {count: end_s(count, total_bytes=drawn["size_bytes"], **step) for count in range(1, 2001)}
    near = [count for count, end in found.items() if end <= 1.03 * min(found.values())]
    assert f"from {near[0]:,} to {near[-1]:,} end it at most 3% later" in bucketed_gradient(**values).numbers


def spans(path: str) -> list[tuple[float, float]]:
    """Return where each bar of a path begins, and how long it is."""
    at, found = 0.0, []
    for kind, number in re.findall(r"([Mmh])([\d.]+)", path):
        if kind == "h":
            found.append((at, float(number)))
        at += float(number)
    return found


def test_the_buckets_are_drawn_where_a_link_sends_them() -> None:
    for buckets, compute_s in ((6, 0.04), (5, 0.2)):
        svg = bucketed_gradient(buckets=buckets, compute_s=compute_s).panels[0].svg()
        step = bucketed_step(
            total_bytes=1e9, buckets=buckets, compute_s=compute_s, latency_s=1e-3, bandwidth_bytes_per_s=20e9
        )
        scale = (328 - 94) / step[-1].end_s
        waits, moves = (spans(path) for path in re.findall(r'<path[^>]* d="(M[\d.]+ [\d.]+h[^"]*)"', svg))
        for bucket, (x, width), (after, length) in zip(step, waits, moves, strict=True):
            assert x == pytest.approx(72 + bucket.start_s * scale, abs=0.3)
            assert width == pytest.approx(1e-3 * scale, abs=0.3)
            assert after + length == pytest.approx(72 + bucket.end_s * scale, abs=0.4)


def test_very_many_buckets_are_one_block() -> None:
    svg = bucketed_gradient(buckets=1000).panels[0].svg()
    assert svg.count("<rect") == 3
